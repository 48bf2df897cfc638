// The door to libpq: https://www.postgresql.org/docs/15/libpq.html
#pragma once
#include <libpq-fe.h>
#include <poll.h>
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
