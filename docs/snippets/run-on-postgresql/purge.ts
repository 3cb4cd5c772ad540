import { epochSeconds } from '@mintmark/storage-interface'
import { storage } from './storage.ts'

export async function purge(): Promise<void> {
  const now = epochSeconds(Date.now() / 1000)
  while (!(await storage.purge.purgeExpired({ now, limit: 1000 })).done);
}
