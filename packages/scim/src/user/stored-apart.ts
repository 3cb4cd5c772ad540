/** What is no part of a user's stored resource: columns of their own, made by the server, or never stored. */
export const storedApart: ReadonlySet<string> = new Set(['id', 'externalId', 'active', 'groups', 'meta', 'password'])
