import type { ServerRequest } from '@mintmark/core/http'

/** What an administrator searches the audit log for. Members that are left out select all entries. */
export interface AuditFilter {
  readonly type: string | undefined
  readonly target: string | undefined
  readonly actor: string | undefined
}

export function auditFilter({ url }: ServerRequest): AuditFilter {
  const read = (name: string) => url.searchParams.get(name)?.trim().slice(0, 1024) || undefined
  return { type: read('type'), target: read('target'), actor: read('actor') }
}
