/*
 * One message as long as its iv chains: pieces are sent with MSG_MORE, the kernel keeps the chaining value, and
 * operation and iv are set where a call does not continue from the last one.
 */
#include "../af_alg/af_alg.h"

const struct transport af_alg_transport = {.streams = 1, .send = send_message};
