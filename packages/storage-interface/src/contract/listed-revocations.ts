import type { Revocation } from '../revocation.ts'
import type { OAuthStorage } from '../storage.ts'
import { nowPlus } from './records/moments.ts'

/** What ended in the store, in order, however long ago. */
export async function toldIn({ revocations: endings }: OAuthStorage): Promise<readonly Revocation[]> {
  const { records } = await endings.list({ from: undefined, endedSince: nowPlus(-100_000), limit: 1000 })
  return records.map(({ revocation: ending }) => ending)
}
