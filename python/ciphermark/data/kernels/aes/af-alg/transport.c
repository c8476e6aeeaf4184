/* Every piece is a separate message: a sendmsg that sets operation and iv and carries the data, then a read. */
#include "../af_alg/af_alg.h"

const struct transport af_alg_transport = {.streams = 0, .send = send_message};
