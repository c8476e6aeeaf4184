// A fault three calls deep.
// A call whose result is used, so that it is no jump.
#define CALL(function, place) \
    int result = function(place); \
    __asm__ volatile("" : "+r"(result)); \
    return result + 1

__attribute__((noinline)) static int innermost(int *place) { return *place = 7; }
__attribute__((noinline)) static int middle(int *place) { CALL(innermost, place); }
__attribute__((noinline)) int outermost(int *place) { CALL(middle, place); }

int main(int argc, char **argv) {
    (void)argv;
    CALL(outermost, (int *)(long)(argc == 1 ? 0x20 : 0));
}
