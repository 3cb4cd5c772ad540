/**
 * What PostgreSQL does not let the user of the address do, and how that is mended, in one sentence.
 * @returns undefined for every error but SQLSTATE 42501, insufficient_privilege.
 */
export function privilegeRefusal(error: unknown): string | undefined {
  if (!(error instanceof Error && 'code' in error && error.code === '42501')) return undefined
  return `PostgreSQL does not let this user do it (${error.message}): name the user that owns the database and its tables.`
}
