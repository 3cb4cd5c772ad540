import { epochSeconds, userId, type JsonObject, type OAuthStorage } from '@mintmark/storage-interface'

/** Creates a user for each account, with the `accountId` of `findAccount` as identifier; clients know it as `sub`. */
export async function importUsers(
  accounts: AsyncIterable<{ readonly accountId: string; readonly claims: JsonObject }>,
  storage: OAuthStorage,
): Promise<void> {
  const createdAt = epochSeconds(Date.now() / 1000)
  for await (const { accountId, claims } of accounts) {
    // Leaves an existing user unchanged, so the import can be run again.
    await storage.users.insert({ userId: userId(accountId), claims, createdAt })
  }
}
