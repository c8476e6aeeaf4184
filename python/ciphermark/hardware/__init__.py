"""What hardware for an instruction costs: datapaths made from descriptions, and the tools that read them."""
