import type { AdminStorage } from '../../storage.ts'
import { law, type StorageLaw } from '../law.ts'
import { aLogEntry } from '../records/a-log-entry.ts'
import { now, nowPlus } from '../records/moments.ts'
import { richJson, richText } from '../records/rich-values.ts'

/** Logs: what was written is read as it was, newest first, until its time has come. */
export const logLaws: readonly StorageLaw<AdminStorage>[] = [
  law('logs: an entry is written once, and never changes', async ({ storage, same }) => {
    same(await storage.logs.append(entry), { outcome: 'inserted' }, 'the first')
    same(
      await storage.logs.append(aLogEntry({ type: 'other', detail: {} })),
      { outcome: 'taken' },
      'the same entry again',
    )
    same(await storage.logs.list({ log: 'admin', before: undefined, limit: 10 }), [entry], 'the log')
  }),

  law('logs: a page holds the newest of one log, and goes on before an entry', async ({ storage, same }) => {
    const entries = [0, 0, 5, 5, 9].map((seconds, index) => aLogEntry({ entryId: `e${index}`, at: nowPlus(seconds) }))
    for (const each of [entries[3], entries[0], entries[4], entries[1], entries[2]])
      if (each !== undefined) await storage.logs.append(each)
    await storage.logs.append(aLogEntry({ entryId: 'other', log: 'provider:acme', at: nowPlus(99) }))
    const page = async (before: { at: typeof now; entryId: string } | undefined, limit: number) =>
      (await storage.logs.list({ log: 'admin', before, limit })).map(({ entryId }) => entryId)

    same(await page(undefined, 10), ['e4', 'e3', 'e2', 'e1', 'e0'], 'all')
    same(await page(undefined, 2), ['e4', 'e3'], 'the newest')
    same(await page({ at: nowPlus(5), entryId: 'e3' }, 2), ['e2', 'e1'], 'before an entry')
    same(await page({ at: now, entryId: 'e0' }, 2), [], 'before the oldest')
    same((await storage.logs.list({ log: 'provider:acme', before: undefined, limit: 9 })).length, 1, 'the other log')
    same(await storage.logs.list({ log: 'none', before: undefined, limit: 9 }), [], 'a log that nobody writes')
  }),

  law('round trip: log entries', async ({ storage, same }) => {
    const full = aLogEntry({
      entryId: `e ${richText}`,
      log: richText,
      type: richText,
      detail: richJson,
      at: nowPlus(3),
      expiresAt: nowPlus(4),
    })
    await storage.logs.append(full)

    same(await storage.logs.list({ log: richText, before: undefined, limit: 1 }), [full], 'as written')
  }),

  law('purge: log entries go when their time has come, and not before', async ({ storage, same }) => {
    await storage.logs.append(entry)
    await storage.logs.append(aLogEntry({ entryId: 'longer', expiresAt: nowPlus(7200) }))

    await storage.purge.purgeExpired({ now: nowPlus(3599), limit: 100 })
    same((await storage.logs.list({ log: 'admin', before: undefined, limit: 9 })).length, 2, 'before')
    await storage.purge.purgeExpired({ now: nowPlus(3600), limit: 100 })
    same(
      (await storage.logs.list({ log: 'admin', before: undefined, limit: 9 })).map(({ entryId }) => entryId),
      ['longer'],
      'after',
    )
  }),
]

const entry = aLogEntry()
