import { clientId, epochSeconds, userId, type JsonObject, type OAuthStorage } from '@mintmark/storage-interface'

/** Creates a user for each account, with the `accountId` of `findAccount` as identifier; clients know it as `sub`. @returns the problems, by identifier. */
export async function importUsers(
  accounts: AsyncIterable<{ readonly accountId: string; readonly claims: JsonObject }>,
  storage: OAuthStorage,
): Promise<ReadonlyMap<string, string>> {
  const problems = new Map<string, string>()
  const createdAt = epochSeconds(Date.now() / 1000)
  for await (const { accountId, claims } of accounts) {
    // Leaves an existing user unchanged, so the import can be run again.
    await storage.users.insert({ userId: userId(accountId), claims, createdAt })
    if ((await storage.users.find(userId(accountId))) === undefined)
      problems.set(accountId, 'The identifier belongs to a removed user.')
    else if ((await storage.clients.find(clientId(accountId))) !== undefined)
      problems.set(accountId, 'The identifier is also that of a client.')
  }
  return problems
}
