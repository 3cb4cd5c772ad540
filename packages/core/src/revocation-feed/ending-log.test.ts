import { epochSeconds, seconds } from '@mintmark/storage-interface'
import { describe, expect, it } from 'vitest'

import { endedToken } from './ending.ts'
import { createEndingLog } from './ending-log.ts'

const at = (second: number) => epochSeconds(1000 + second)
const aLog = (name = 'log') => createEndingLog({ name, startedAt: at(0), keepFor: seconds(600) })
const ending = (name: string) => endedToken(name, at(9999))
const namesOf = (log: ReturnType<typeof aLog>, cursor?: string, second = 0) => log.read(cursor, at(second)).endings.map(([, name]) => name)

describe('the log of what has ended', () => {
  it('is read in order, from the beginning and from a cursor on', () => {
    const log = aLog()
    log.append(ending('a'), at(1))
    const { cursor } = log.read(undefined, at(1))
    log.append(ending('b'), at(2))
    log.append(ending('c'), at(3))

    expect(namesOf(log)).toEqual(['a', 'b', 'c'])
    expect(namesOf(log, cursor)).toEqual(['b', 'c'])
    expect(namesOf(log, log.read(cursor, at(3)).cursor)).toEqual([])
  })

  it.each(['other.1', 'log.2', 'log.', 'log', 'log.-1', 'log.1e0', 'log.x', '.', '', 'log.9999999999999999999', '__proto__.0'])(
    'is read from the beginning where the cursor is none of its own: %j',
    (cursor) => {
      const log = aLog()
      log.append(ending('a'), at(1))

      expect(namesOf(log, cursor)).toEqual(['a'])
    },
  )

  it('is read a thousand at a time, and says whether there is more', () => {
    const log = aLog()
    for (let count = 0; count < 2001; count += 1) log.append(ending(`t${count}`), at(1))

    const first = log.read(undefined, at(1))
    const second = log.read(first.cursor, at(1))
    const third = log.read(second.cursor, at(1))

    expect([first, second, third].map(({ endings, more }) => [endings.length, more])).toEqual([[1000, true], [1000, true], [1, false]])
    expect(third.endings[0]?.[1]).toBe('t2000')
  })

  it('forgets what is older than it promised, and a cursor of before goes on', () => {
    const log = aLog()
    const { cursor } = log.read(undefined, at(0))
    log.append(ending('old'), at(1))
    log.append(ending('new'), at(400))

    log.append(ending('newest'), at(601))

    expect(namesOf(log, undefined, 601)).toEqual(['new', 'newest'])
    expect(namesOf(log, cursor, 601)).toEqual(['new', 'newest'])
  })

  it('knows nothing of tokens from before it began, and nothing of those that are older than what it keeps', () => {
    const log = aLog()

    expect(log.read(undefined, at(5)).coversAfter).toBe(at(0))
    expect(log.read(undefined, at(600)).coversAfter).toBe(at(60))
  })

  it('is bounded, and owns up to what it had to forget', () => {
    const log = aLog()
    for (let count = 0; count < 100_000; count += 1) log.append(ending('t'), at(count < 7 ? 5 : 6))
    const before = log.read(undefined, at(6)).coversAfter

    for (let count = 0; count < 7; count += 1) log.append(ending('t'), at(6))

    expect([before, log.read(undefined, at(6)).coversAfter]).toEqual([at(0), at(5)])
  })

  it('wakes who waits behind its end as soon as something is added', async () => {
    const log = aLog()
    const { cursor } = log.read(undefined, at(0))
    const waits = [log.waitBehind(cursor, seconds(20)), log.waitBehind(cursor, seconds(20))]

    log.append(ending('a'), at(1))

    await Promise.all(waits)
    expect(namesOf(log, cursor)).toEqual(['a'])
  })

  it('lets nobody wait who has something to read, who does not want to, or who knows another log', async () => {
    const log = aLog()
    log.append(ending('a'), at(1))

    await Promise.all([
      log.waitBehind('log.0', seconds(20)),
      log.waitBehind(undefined, seconds(20)),
      log.waitBehind('other.1', seconds(20)),
      log.waitBehind('log.1', seconds(0)),
    ])
  })

  it('lets a wait end when its time is over', async () => {
    const log = aLog()
    const started = process.hrtime.bigint()

    await log.waitBehind('log.0', seconds(1))

    expect(Number(process.hrtime.bigint() - started) / 1e6).toBeGreaterThan(900)
  })

  it('answers at once when a thousand wait already', async () => {
    const log = aLog()
    const waits = Array.from({ length: 1000 }, () => log.waitBehind('log.0', seconds(20)))

    await log.waitBehind('log.0', seconds(20))

    log.append(ending('a'), at(1))
    await Promise.all(waits)
  })
})
