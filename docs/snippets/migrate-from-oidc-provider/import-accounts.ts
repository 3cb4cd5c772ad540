import { epochSeconds, userId, type JsonObject, type Storage } from '@mintmark/storage-interface'

/** Makes an account for each of yours: `findAccount` called it `accountId`, and clients know it as `sub`. */
export async function importAccounts(
  accounts: AsyncIterable<{ readonly accountId: string; readonly claims: JsonObject }>,
  storage: Storage,
): Promise<void> {
  const createdAt = epochSeconds(Date.now() / 1000)
  for await (const { accountId, claims } of accounts) {
    // An account that is there already stays as it is: this can be run again.
    await storage.users.insert({ userId: userId(accountId), claims, createdAt })
  }
}
