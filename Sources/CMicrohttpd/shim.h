// The door to libmicrohttpd: https://www.gnu.org/software/libmicrohttpd/manual/
#pragma once
#include <microhttpd.h>
#include <sys/types.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <arpa/inet.h>
#include <netdb.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>

// MHD_start_daemon is variadic. The address is that of the listening socket, which the caller made;
// a pool of one thread must not be asked for.
static inline struct MHD_Daemon *sineta_mhd_start(
    int listen_socket, unsigned int threads, size_t connection_memory,
    unsigned int connection_limit, unsigned int idle_seconds,
    MHD_AccessHandlerCallback handler, MHD_NotifyConnectionCallback notify,
    MHD_RequestCompletedCallback completed,
    void *(*uri)(void *cls, const char *uri, struct MHD_Connection *connection), void *cls)
{
    enum MHD_OPTION last = threads > 1 ? MHD_OPTION_THREAD_POOL_SIZE : MHD_OPTION_END;
    return MHD_start_daemon(
        MHD_USE_EPOLL_INTERNAL_THREAD | MHD_ALLOW_SUSPEND_RESUME | MHD_USE_ITC, 0, NULL, NULL,
        handler, cls,
        MHD_OPTION_LISTEN_SOCKET, listen_socket,
        MHD_OPTION_CONNECTION_MEMORY_LIMIT, connection_memory,
        MHD_OPTION_CONNECTION_LIMIT, connection_limit,
        MHD_OPTION_CONNECTION_TIMEOUT, idle_seconds,
        MHD_OPTION_STRICT_FOR_CLIENT, 1,
        MHD_OPTION_NOTIFY_CONNECTION, notify, cls,
        MHD_OPTION_NOTIFY_COMPLETED, completed, cls,
        MHD_OPTION_URI_LOG_CALLBACK, uri, cls,
        last, threads,
        MHD_OPTION_END);
}

// MHD_get_connection_info is variadic and answers with a union.
static inline int sineta_mhd_descriptor(struct MHD_Connection *connection)
{
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
    return info ? info->connect_fd : -1;
}

static inline void *sineta_mhd_socket_context(struct MHD_Connection *connection)
{
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
    return info ? info->socket_context : NULL;
}

// The two ends of a content reader are casts of negative numbers, which do not import.
static const ssize_t sineta_mhd_end_of_stream = MHD_CONTENT_READER_END_OF_STREAM;
static const ssize_t sineta_mhd_end_with_error = MHD_CONTENT_READER_END_WITH_ERROR;

// Milliseconds since the peer last sent anything (TCP_INFO, tcp(7)); -1 for other sockets. The
// structure's bit fields keep it from being read in Swift.
static inline long sineta_tcp_quiet_milliseconds(int descriptor)
{
    struct tcp_info info;
    socklen_t size = sizeof info;
    if (getsockopt(descriptor, IPPROTO_TCP, TCP_INFO, &info, &size) != 0) return -1;
    return (long)info.tcpi_last_data_recv;
}

// epoll_event is a packed structure with a union.
static inline int sineta_epoll_add(int epoll, int descriptor, unsigned int events, uint64_t token)
{
    struct epoll_event event = {.events = events, .data = {.u64 = token}};
    return epoll_ctl(epoll, EPOLL_CTL_ADD, descriptor, &event);
}

static const unsigned int sineta_epoll_peer_gone = EPOLLRDHUP | EPOLLET | EPOLLONESHOT;
static const unsigned int sineta_epoll_readable = EPOLLIN;

// Waits for at most 64 tokens.
static inline int sineta_epoll_wait(int epoll, uint64_t *tokens, int milliseconds)
{
    struct epoll_event events[64];
    int count = epoll_wait(epoll, events, 64, milliseconds);
    for (int i = 0; i < count; i++) tokens[i] = events[i].data.u64;
    return count;
}

// The numeric form of the peer's address; empty for a peer without one (a Unix socket).
static inline int sineta_peer_name(int descriptor, char *text, unsigned int size)
{
    struct sockaddr_storage address;
    socklen_t length = sizeof address;
    if (size == 0) return -1;
    text[0] = 0;
    if (getpeername(descriptor, (struct sockaddr *)&address, &length) != 0) return -1;
    if (address.ss_family != AF_INET && address.ss_family != AF_INET6) return 0;
    return getnameinfo((struct sockaddr *)&address, length, text, size, NULL, 0, NI_NUMERICHOST);
}

// The port that a TCP socket is bound to; -1 for other sockets.
static inline int sineta_bound_port(int descriptor)
{
    struct sockaddr_storage address;
    socklen_t length = sizeof address;
    if (getsockname(descriptor, (struct sockaddr *)&address, &length) != 0) return -1;
    if (address.ss_family == AF_INET) return ntohs(((struct sockaddr_in *)&address)->sin_port);
    if (address.ss_family == AF_INET6) return ntohs(((struct sockaddr_in6 *)&address)->sin6_port);
    return -1;
}
