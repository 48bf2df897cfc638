// The door to libpq: https://www.postgresql.org/docs/15/libpq.html
#pragma once
#include <libpq-fe.h>
#include <poll.h>
#include <pthread.h>
#include <spawn.h>
#include <time.h>
#include <unistd.h>

// postgres_ext.h spells these as character macros, which Swift does not import as integers.
static inline int sineta_diag_severity(void) { return PG_DIAG_SEVERITY_NONLOCALIZED; }
static inline int sineta_diag_sqlstate(void) { return PG_DIAG_SQLSTATE; }
static inline int sineta_diag_message(void) { return PG_DIAG_MESSAGE_PRIMARY; }
static inline int sineta_diag_detail(void) { return PG_DIAG_MESSAGE_DETAIL; }
static inline int sineta_diag_hint(void) { return PG_DIAG_MESSAGE_HINT; }
static inline int sineta_diag_schema(void) { return PG_DIAG_SCHEMA_NAME; }
static inline int sineta_diag_table(void) { return PG_DIAG_TABLE_NAME; }
static inline int sineta_diag_column(void) { return PG_DIAG_COLUMN_NAME; }
static inline int sineta_diag_constraint(void) { return PG_DIAG_CONSTRAINT_NAME; }
static inline int sineta_diag_source_function(void) { return PG_DIAG_SOURCE_FUNCTION; }

// Waits on a condition of the monotonic clock for so long. It is written here since which module
// owns timespec depends on the order in which Swift loads headers, and a build may fail over it.
static inline void sineta_cond_wait(pthread_cond_t *condition, pthread_mutex_t *mutex,
                                    long long seconds, long long nanoseconds) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    nanoseconds += time.tv_nsec;
    time.tv_sec += seconds + nanoseconds / 1000000000;
    time.tv_nsec = nanoseconds % 1000000000;
    pthread_cond_timedwait(condition, mutex, &time);
}

// glibc declares it behind _GNU_SOURCE only, which headers shared with other modules must not set.
extern int posix_spawn_file_actions_addchdir_np(posix_spawn_file_actions_t *, const char *);
static inline int sineta_spawn_in(posix_spawn_file_actions_t *actions, const char *folder) {
    return posix_spawn_file_actions_addchdir_np(actions, folder);
}
