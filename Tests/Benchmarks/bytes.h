// Bytes that grow, frames without a mask, and the little of JSON that the bare loop reads.

#include <stdlib.h>
#include <string.h>

typedef struct {
    char *bytes;
    size_t length, capacity;
} Bytes;

static void append(Bytes *to, const void *bytes, size_t length) {
    if (to->length + length > to->capacity) {
        to->capacity = (to->length + length) * 2;
        to->bytes = realloc(to->bytes, to->capacity);
    }
    memcpy(to->bytes + to->length, bytes, length);
    to->length += length;
}

static void release(Bytes *bytes) {
    free(bytes->bytes);
    *bytes = (Bytes){0};
}

static void appendFrame(Bytes *to, int opcode, const char *payload, size_t length) {
    unsigned char head[4] = {0x80 | opcode, length < 126 ? length : 126, length >> 8, length};
    append(to, head, length < 126 ? 2 : 4);
    append(to, payload, length);
}

// The value behind a name, with its length: a text's inside, or all to the brace that closes an object.
static const char *field(const char *text, size_t length, const char *name, size_t *found) {
    const char *start = memmem(text, length, name, strlen(name));
    if (!start) return *found = 0, "";
    start += strlen(name);
    const char *stop = start, *limit = text + length;
    if (*start == '"') {
        for (stop = ++start; stop < limit && *stop != '"'; stop++) {}
    } else if (*start == '{') {
        while (stop < limit && *stop++ != '}') {}
    } else {
        while (stop < limit && *stop != ',' && *stop != '}') stop++;
    }
    *found = stop - start;
    return start;
}
