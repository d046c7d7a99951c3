// The bare loop that the broker is measured against: epoll, one thread, and what a server for live reactions cannot do
// without. It orders nothing, keeps nothing and checks nothing, and understands just the requests that fanfare-load sends.
//
//   baseline send|join [CERTIFICATE KEY]
//
// send: each event leaves at once, in one write for each subscriber.
// join: all events of a turn of the loop that a subscriber waits for leave in one write.
// It listens on a free port of 127.0.0.1 and ends with its standard input.

#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <openssl/evp.h>
#include <openssl/ssl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "bytes.h"

enum { BUFFER = 1 << 16, CHANNELS = 1 << 12, WAITING = 1 << 20 };

typedef struct Channel Channel;

typedef struct {
    int descriptor;
    bool open, dirty, gone, blocked;
    SSL *tls;
    Channel *channel;
    Bytes in, out;
} Connection;

struct Channel {
    char name[204];
    uint64_t seq;
    Connection **subscribers;
    size_t count, capacity;
    Bytes batch;
    bool dirty;
};

static bool joins;
static int poller;
static SSL_CTX *context;
static Channel *channels[CHANNELS];
static Channel *dirtyChannels[CHANNELS];
static size_t dirtyChannelCount;
static Connection **dirty, **ended;
static size_t dirtyCount, endedCount, dirtyCapacity, endedCapacity;

static void push(Connection ***list, size_t *count, size_t *capacity, Connection *connection) {
    if (*count == *capacity) *list = realloc(*list, (*capacity = *capacity * 2 + 64) * sizeof **list);
    (*list)[(*count)++] = connection;
}

static void end(Connection *connection) {
    if (connection->gone) return;
    connection->gone = true;
    push(&ended, &endedCount, &endedCapacity, connection);
}

static void watch(Connection *connection, bool forWriting) {
    connection->blocked = forWriting;
    struct epoll_event event = {.events = EPOLLIN | (forWriting ? EPOLLOUT : 0), .data.ptr = connection};
    epoll_ctl(poller, EPOLL_CTL_MOD, connection->descriptor, &event);
}

// How much the kernel took; 0 where it takes nothing now.
static size_t writeSome(Connection *connection, const char *bytes, size_t length) {
    ssize_t count = connection->tls ? SSL_write(connection->tls, bytes, length)
                                    : send(connection->descriptor, bytes, length, MSG_NOSIGNAL);
    if (count > 0) return count;
    bool later = connection->tls ? SSL_get_error(connection->tls, count) == SSL_ERROR_WANT_WRITE
                                 : errno == EAGAIN || errno == EINTR;
    if (!later) end(connection);
    return 0;
}

static void flush(Connection *connection) {
    size_t done = 0;
    while (done < connection->out.length && !connection->gone) {
        size_t count = writeSome(connection, connection->out.bytes + done, connection->out.length - done);
        if (!count) break;
        done += count;
    }
    memmove(connection->out.bytes, connection->out.bytes + done, connection->out.length - done);
    connection->out.length -= done;
    if (!connection->out.length) release(&connection->out);
    if (!connection->gone && connection->blocked != (connection->out.length > 0)) watch(connection, !connection->blocked);
}

static void deliver(Connection *connection, const Bytes *bytes) {
    if (connection->gone) return;
    size_t done = 0;
    while (!connection->out.length && done < bytes->length && !connection->gone) {
        size_t count = writeSome(connection, bytes->bytes + done, bytes->length - done);
        if (!count) break;
        done += count;
    }
    if (done == bytes->length || connection->gone) return;
    // A reader this slow misses what comes: the loop promises nothing.
    if (connection->out.length > WAITING && !done) return;
    append(&connection->out, bytes->bytes + done, bytes->length - done);
    if (!connection->blocked) watch(connection, true);
}

static void deliverToAll(Channel *channel, const Bytes *bytes) {
    for (size_t i = 0; i < channel->count; i++) deliver(channel->subscribers[i], bytes);
}

static void reply(Connection *connection, int opcode, const char *payload, size_t length) {
    appendFrame(&connection->out, opcode, payload, length);
    if (connection->dirty) return;
    connection->dirty = true;
    push(&dirty, &dirtyCount, &dirtyCapacity, connection);
}

static Channel *channelNamed(const char *name, size_t length) {
    uint32_t hash = 2166136261u;
    for (size_t i = 0; i < length; i++) hash = (hash ^ (unsigned char)name[i]) * 16777619u;
    for (size_t i = hash % CHANNELS;; i = (i + 1) % CHANNELS) {
        if (!channels[i]) {
            channels[i] = calloc(1, sizeof *channels[i]);
            memcpy(channels[i]->name, name, length);
        }
        if (!strncmp(channels[i]->name, name, length) && !channels[i]->name[length]) return channels[i];
    }
}

static void subscribe(Connection *connection, Channel *channel, const char *id, size_t idLength) {
    char text[512];
    if (!connection->channel) {
        if (channel->count == channel->capacity) {
            channel->capacity = channel->capacity * 2 + 16;
            channel->subscribers = realloc(channel->subscribers, channel->capacity * sizeof *channel->subscribers);
        }
        channel->subscribers[channel->count++] = connection;
        connection->channel = channel;
    }
    int length = snprintf(
        text, sizeof text,
        "{\"type\":\"subscribed\",\"id\":%.*s,\"channel\":\"%s\",\"epoch\":\"c\",\"seq\":%lu,\"mode\":\"events\","
        "\"policy\":\"distinct\",\"interval_ms\":100,\"allowed\":null,\"limits\":{\"kinds\":20,\"per_user\":10},"
        "\"frozen\":false,\"recovered\":false,\"messages\":[],\"more\":null}",
        (int)idLength, id, channel->name, channel->seq);
    reply(connection, 1, text, length);
}

static void react(Connection *connection, Channel *channel, bool adds, const char *text, size_t length) {
    char event[2048], ack[1024];
    size_t idLength, messageLength, reactionLength, dataLength;
    const char *id = field(text, length, "\"id\":", &idLength);
    const char *message = field(text, length, "\"message\":", &messageLength);
    const char *reaction = field(text, length, "\"reaction\":", &reactionLength);
    const char *data = field(text, length, "\"data\":", &dataLength);
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    channel->seq++;
    int ackLength = snprintf(
        ack, sizeof ack,
        "{\"type\":\"ack\",\"id\":%.*s,\"result\":\"%s\",\"channel\":\"%s\",\"message\":\"%.*s\",\"reaction\":\"%.*s\","
        "\"seq\":%lu,\"count\":%d,\"own\":[]}",
        (int)idLength, id, adds ? "added" : "removed", channel->name, (int)messageLength, message, (int)reactionLength,
        reaction, channel->seq, adds);
    reply(connection, 1, ack, ackLength);
    int eventLength = snprintf(
        event, sizeof event,
        "{\"type\":\"%s\",\"channel\":\"%s\",\"seq\":%lu,\"message\":\"%.*s\",\"reaction\":\"%.*s\","
        "\"user\":\"load-pub-1\",\"count\":%d,\"users\":%d,\"total\":%d,\"at\":%ld%s%.*s}",
        adds ? "added" : "removed", channel->name, channel->seq, (int)messageLength, message, (int)reactionLength,
        reaction, adds, adds, adds, now.tv_sec * 1000 + now.tv_nsec / 1000000, dataLength ? ",\"data\":" : "",
        (int)dataLength, data);
    appendFrame(&channel->batch, 1, event, eventLength);
    if (!joins) {
        deliverToAll(channel, &channel->batch);
        channel->batch.length = 0;
    } else if (!channel->dirty) {
        channel->dirty = true;
        dirtyChannels[dirtyChannelCount++] = channel;
    }
}

static void received(Connection *connection, const char *text, size_t length) {
    size_t typeLength, nameLength, idLength;
    const char *type = field(text, length, "\"type\":", &typeLength);
    const char *name = field(text, length, "\"channel\":", &nameLength);
    const char *id = field(text, length, "\"id\":", &idLength);
    if (nameLength > 200) return end(connection);
    Channel *channel = channelNamed(name, nameLength);
    if (typeLength == 9 && !memcmp(type, "subscribe", 9)) return subscribe(connection, channel, id, idLength);
    if (typeLength == 3 || typeLength == 6) react(connection, channel, typeLength == 3, text, length);
}

static void welcome(Connection *connection) {
    static const char text[] =
        "{\"type\":\"welcome\",\"connection\":\"c-1\",\"user\":\"ada\",\"time\":1,\"heartbeat_ms\":25000,"
        "\"limits\":{\"max_message_bytes\":65536,\"max_subscriptions\":256}}";
    reply(connection, 1, text, sizeof text - 1);
}

// How many bytes of the head were used: all of it once it is whole.
static size_t shakeHands(Connection *connection, const char *bytes, size_t length) {
    static const char name[] = "Sec-WebSocket-Key:", magic[] = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";
    const char *stop = memmem(bytes, length, "\r\n\r\n", 4);
    if (!stop) return 0;
    const char *key = memmem(bytes, length, name, sizeof name - 1);
    if (!key) return end(connection), length;
    for (key += sizeof name - 1; *key == ' '; key++) {}
    char joined[128], response[256];
    unsigned char digest[EVP_MAX_MD_SIZE], accept[64];
    int count = snprintf(joined, sizeof joined, "%.24s%s", key, magic);
    EVP_Digest(joined, count, digest, NULL, EVP_sha1(), NULL);
    EVP_EncodeBlock(accept, digest, 20);
    count = snprintf(
        response, sizeof response,
        "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        "Sec-WebSocket-Accept: %s\r\nSec-WebSocket-Protocol: fanfare.v1.json\r\n\r\n",
        accept);
    append(&connection->out, response, count);
    welcome(connection);
    connection->open = true;
    return stop + 4 - bytes;
}

// How many bytes were used: those of whole frames.
static size_t readFrames(Connection *connection, char *bytes, size_t length) {
    size_t used = 0;
    while (!connection->gone && length - used >= 6) {
        unsigned char *frame = (unsigned char *)bytes + used;
        size_t payload = frame[1] & 0x7F, head = 6;
        if (payload == 127) return end(connection), length;
        if (payload == 126) {
            if (length - used < 8) break;
            payload = frame[2] << 8 | frame[3];
            head = 8;
        }
        if (length - used < head + payload) break;
        unsigned char *text = frame + head;
        for (size_t i = 0; i < payload; i++) text[i] ^= frame[head - 4 + (i & 3)];
        used += head + payload;
        switch (frame[0] & 0x0F) {
        case 1: received(connection, (char *)text, payload); break;
        case 8: end(connection); break;
        case 9: reply(connection, 10, (char *)text, payload); break;
        }
    }
    return used;
}

// Takes what was read; `bytes` are the connection's own leftover or the loop's buffer.
static size_t consume(Connection *connection, char *bytes, size_t length) {
    size_t used = connection->open ? 0 : shakeHands(connection, bytes, length);
    return connection->open ? used + readFrames(connection, bytes + used, length - used) : used;
}

static void readAll(Connection *connection) {
    static char buffer[BUFFER];
    while (!connection->gone) {
        ssize_t count = connection->tls ? SSL_read(connection->tls, buffer, sizeof buffer)
                                        : recv(connection->descriptor, buffer, sizeof buffer, 0);
        if (count <= 0) {
            bool later = connection->tls ? SSL_get_error(connection->tls, count) == SSL_ERROR_WANT_READ
                                         : count < 0 && (errno == EAGAIN || errno == EINTR);
            if (!later) end(connection);
            return;
        }
        if (connection->in.length) {
            append(&connection->in, buffer, count);
            size_t used = consume(connection, connection->in.bytes, connection->in.length);
            memmove(connection->in.bytes, connection->in.bytes + used, connection->in.length - used);
            connection->in.length -= used;
            if (!connection->in.length) release(&connection->in);
        } else {
            size_t used = consume(connection, buffer, count);
            if (used < (size_t)count) append(&connection->in, buffer + used, count - used);
        }
        if (!connection->tls && (size_t)count < sizeof buffer) return;
    }
}

static void acceptAll(int listener) {
    int descriptor;
    while ((descriptor = accept4(listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC)) >= 0) {
        int one = 1;
        setsockopt(descriptor, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
        Connection *connection = calloc(1, sizeof *connection);
        connection->descriptor = descriptor;
        if (context) {
            connection->tls = SSL_new(context);
            SSL_set_fd(connection->tls, descriptor);
            SSL_set_accept_state(connection->tls);
        }
        struct epoll_event event = {.events = EPOLLIN, .data.ptr = connection};
        epoll_ctl(poller, EPOLL_CTL_ADD, descriptor, &event);
    }
}

static void leave(Channel *channel, Connection *connection) {
    for (size_t i = 0; i < channel->count; i++) {
        if (channel->subscribers[i] != connection) continue;
        channel->subscribers[i] = channel->subscribers[--channel->count];
        return;
    }
}

static void endTurn(void) {
    for (size_t i = 0; i < dirtyChannelCount; i++) {
        deliverToAll(dirtyChannels[i], &dirtyChannels[i]->batch);
        dirtyChannels[i]->batch.length = 0;
        dirtyChannels[i]->dirty = false;
    }
    dirtyChannelCount = 0;
    for (size_t i = 0; i < dirtyCount; i++) {
        dirty[i]->dirty = false;
        if (!dirty[i]->gone) flush(dirty[i]);
    }
    dirtyCount = 0;
    for (size_t i = 0; i < endedCount; i++) {
        if (ended[i]->channel) leave(ended[i]->channel, ended[i]);
        SSL_free(ended[i]->tls);
        close(ended[i]->descriptor);
        release(&ended[i]->in);
        release(&ended[i]->out);
        free(ended[i]);
    }
    endedCount = 0;
}

static int listenOnFreePort(bool secure) {
    int listener = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t length = sizeof address;
    if (bind(listener, (struct sockaddr *)&address, length) || listen(listener, 4096)) return perror("listen"), -1;
    getsockname(listener, (struct sockaddr *)&address, &length);
    fprintf(stderr, "listening on %s://127.0.0.1:%d/v1/ws\n", secure ? "wss" : "ws", ntohs(address.sin_port));
    return listener;
}

static bool prepareTLS(const char *certificate, const char *key) {
    context = SSL_CTX_new(TLS_server_method());
    SSL_CTX_set_mode(
        context, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER | SSL_MODE_RELEASE_BUFFERS);
    return SSL_CTX_use_certificate_chain_file(context, certificate) == 1 &&
           SSL_CTX_use_PrivateKey_file(context, key, SSL_FILETYPE_PEM) == 1;
}

int main(int count, char **words) {
    if ((count != 2 && count != 4) || (strcmp(words[1], "send") && strcmp(words[1], "join"))) {
        fprintf(stderr, "usage: baseline send|join [CERTIFICATE KEY]\n");
        return 2;
    }
    joins = !strcmp(words[1], "join");
    if (count == 4 && !prepareTLS(words[2], words[3])) return fprintf(stderr, "no certificate or key\n"), 1;
    struct rlimit files;
    getrlimit(RLIMIT_NOFILE, &files);
    files.rlim_cur = files.rlim_max;
    setrlimit(RLIMIT_NOFILE, &files);
    poller = epoll_create1(EPOLL_CLOEXEC);
    int listener = listenOnFreePort(context != NULL);
    if (listener < 0) return 1;
    // What `data.ptr` points to tells the two descriptors that are no connections from all others.
    struct epoll_event accepting = {.events = EPOLLIN, .data.ptr = &poller};
    struct epoll_event ending = {.events = EPOLLIN, .data.ptr = &context};
    epoll_ctl(poller, EPOLL_CTL_ADD, listener, &accepting);
    epoll_ctl(poller, EPOLL_CTL_ADD, STDIN_FILENO, &ending);
    for (;;) {
        struct epoll_event events[512];
        int ready = epoll_wait(poller, events, 512, -1);
        for (int i = 0; i < ready; i++) {
            if (events[i].data.ptr == &context) return 0;
            if (events[i].data.ptr == &poller) {
                acceptAll(listener);
                continue;
            }
            Connection *connection = events[i].data.ptr;
            if (events[i].events & EPOLLOUT && !connection->gone) flush(connection);
            if (events[i].events & ~EPOLLOUT && !connection->gone) readAll(connection);
        }
        endTurn();
    }
}
