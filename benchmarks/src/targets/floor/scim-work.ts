import type { ScimDocument, WrittenDocument } from './scim-documents.ts'

/** The work of a SCIM floor that is neither HTTP nor storage. */
export interface ScimWork {
  /** The headers of each response, besides those that every floor sends. */
  readonly headers: Headers
  /** Returns the headers of the response to a write. */
  describe(written: WrittenDocument, status: 200 | 201): Headers
  parseFilter(filter: string): ScimLookup
  parseUser(body: string): ScimDocument
  /** Returns the members that a PATCH replaces. */
  parsePatch(body: string): Partial<ScimDocument>
}

type Headers = Readonly<Record<string, string>>

/** What a filter looks for. */
export interface ScimLookup {
  readonly by: 'userName' | 'workEmail'
  readonly value: string
}

/** The minimum: a filter is searched for an address, and bodies are parsed but not checked. */
export const minimalScimWork: ScimWork = {
  headers: {},
  describe: () => ({}),
  parseFilter: (filter) => ({
    by: filter.startsWith('userName eq ') ? 'userName' : 'workEmail',
    value: (/"([^"]*@[^"]*)"/.exec(filter)?.[1] ?? '').toLowerCase(),
  }),
  parseUser: (body) => JSON.parse(body) as ScimDocument,
  parsePatch(body) {
    const { Operations: operations } = JSON.parse(body) as {
      readonly Operations: readonly { readonly path: string; readonly value: unknown }[]
    }
    return Object.fromEntries(operations.map(({ path, value }) => [path, value]))
  },
}
