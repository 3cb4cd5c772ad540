/**
 * Returns a sentence that says which privilege the database user lacks, and which user to use instead; `undefined` for every
 * other error.
 */
export function privilegeRefusal(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined
  // SQLSTATE 42501, insufficient_privilege
  if ('code' in error && error.code === '42501')
    return `The PostgreSQL user lacks a permission (${error.message}): use the user that owns the database and its tables.`
  if (!('errno' in error && typeof error.errno === 'number' && mariadbRefusals.has(error.errno))) return undefined
  return `The MariaDB user lacks a privilege (${error.message}): use a user with all privileges on the database. With a binary log, it also needs SUPER, or the server the setting log_bin_trust_function_creators.`
}

/** https://mariadb.com/kb/en/mariadb-error-code-reference/ */
const mariadbRefusals: ReadonlySet<number> = new Set([
  1044, // ER_DBACCESS_DENIED_ERROR
  1142, // ER_TABLEACCESS_DENIED_ERROR
  1143, // ER_COLUMNACCESS_DENIED_ERROR
  1227, // ER_SPECIFIC_ACCESS_DENIED_ERROR
  1419, // ER_BINLOG_CREATE_ROUTINE_NEED_SUPER
])
