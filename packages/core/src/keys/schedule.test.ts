import { epochSeconds, keyId, type SigningKeyRecord } from '@mintmark/storage-interface'
import { aSigningKeyRecord } from '@mintmark/storage-interface/fixtures'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'

import { documentMaxAge } from './public-document.ts'
import { keyStates, nextChange, parseKeySchedule, removableKeys, type KeyScheduleOptions } from './schedule.ts'

const day = 86_400

describe('the key schedule', () => {
  it('signs for 90 days, announces for one day and retires for 14 days by default', () => {
    expect(parseKeySchedule({})).toEqual({
      announce: day,
      sign: 90 * day,
      retire: 14 * day,
      hints: 180 * day,
      staleness: 5,
    })
  })

  it('may be as short as the caching of /jwks allows (OIDC Core §10.1.1)', () => {
    const schedule = { announce: documentMaxAge + 5, sign: documentMaxAge + 605, retire: 600 }

    expect(parseKeySchedule(schedule)).toEqual({ ...schedule, hints: 180 * day, staleness: 5 })
  })

  it.each([
    [
      'an announcement shorter than /jwks is cached (OIDC Core §10.1.1)',
      { announce: documentMaxAge + 4 },
      /at least 300 plus staleness.*announce/s,
    ],
    ['an announcement that does not include the staleness', { announce: documentMaxAge + 5, staleness: 6 }, /announce/],
    [
      'a key that signs for less than announce and retire together',
      { sign: 15 * day - 1 },
      /announce and retire together.*sign/s,
    ],
    ['a time that is not a whole number', { retire: 0.5 }, /retire/],
    [
      'hints that are accepted for a shorter time than other tokens',
      { hints: 14 * day - 1 },
      /at least retire.*hints/s,
    ],
    ['a time that is negative', { staleness: -1 }, /staleness/],
    ['a misspelled member', { anounce: 5 }, /anounce/],
  ])('refuses %s', (_case, wrong, message) => {
    const schedule = wrong as KeyScheduleOptions

    expect(() => parseKeySchedule(schedule)).toThrow(TypeError)
    expect(() => parseKeySchedule(schedule)).toThrow(message)
  })
})

const schedule = parseKeySchedule({ announce: 1000, sign: 10_000, retire: 2000, hints: 2000, staleness: 5 })

/** The key with an ordinal; it signs from 10,000 times the ordinal, or from `signsFrom`. */
const key = (ordinal: number, change: Partial<Record<'signsFrom' | 'droppedAt', number>> = {}): SigningKeyRecord =>
  aSigningKeyRecord({
    keyId: keyId(`key-${ordinal}`),
    ordinal,
    signsFrom: epochSeconds(change.signsFrom ?? ordinal * 10_000),
    droppedAt: change.droppedAt === undefined ? undefined : epochSeconds(change.droppedAt),
  })

const statesAt = (keys: readonly SigningKeyRecord[], now: number): readonly string[] =>
  keyStates(keys, epochSeconds(now), schedule).map(({ record, state }) => `${record.ordinal} ${state}`)

describe('the state of a key (OIDC Core §10.1.1)', () => {
  it.each([
    ['long before the first key signs', 0, ['1 signing', '2 announced']],
    ['when the first key signs', 10_000, ['1 signing', '2 announced']],
    ['a second before the next key signs', 19_999, ['1 signing', '2 announced']],
    ['when the next key takes over', 20_000, ['1 retired', '2 signing']],
    ['a second before the first key is dropped', 21_999, ['1 retired', '2 signing']],
    ['when the first key is dropped', 22_000, ['1 dropped', '2 signing']],
  ])('is computed %s', (_when, now, states) => {
    expect(statesAt([key(2), key(1)], now)).toEqual(states)
  })

  it('is computed for each algorithm separately', () => {
    const other: SigningKeyRecord = { ...key(2), keyId: keyId('other'), algorithm: 'RS256' }

    expect(statesAt([key(1), other], 30_000)).toEqual(['1 signing', '2 signing'])
  })

  it('is `signing` for the newer key when two keys may sign from the same second, and `retired` for the older', () => {
    expect(statesAt([key(2, { signsFrom: 10_000 }), key(1)], 10_000)).toEqual(['1 retired', '2 signing'])
  })
})

describe('a dropped key', () => {
  it('is replaced by the announced key at once, without a change to earlier keys', () => {
    const keys = [key(1), key(2, { droppedAt: 20_500 }), key(3)]

    expect(statesAt(keys, 20_600)).toEqual(['1 retired', '2 dropped', '3 signing'])
    expect(statesAt(keys, 22_000)).toEqual(['1 dropped', '2 dropped', '3 signing'])
    expect(statesAt(keys, 30_000)).toEqual(['1 dropped', '2 dropped', '3 signing'])
  })

  it('leaves no signing key when none is announced: a retired key does not sign again', () => {
    expect(statesAt([key(1), key(2, { droppedAt: 20_500 })], 20_600)).toEqual(['1 retired', '2 dropped'])
  })

  it('has no effect on the signing key when it was only announced', () => {
    const keys = [key(1), key(2, { droppedAt: 15_000 })]

    for (const now of [15_000, 20_000, 50_000]) expect(statesAt(keys, now)).toEqual(['2 dropped', '1 signing'])
  })

  it('stays dropped whatever the clock says', () => {
    expect(statesAt([key(1, { droppedAt: 15_000 }), key(2)], 0)).toEqual(['1 dropped', '2 signing'])
  })
})

const arbitraryKeys = fc
  .array(fc.record({ signsFrom: fc.nat(60_000), droppedAt: fc.option(fc.nat(60_000), { nil: undefined }) }), {
    minLength: 1,
    maxLength: 8,
  })
  .map((changes) =>
    changes.map(({ signsFrom, droppedAt }, index) =>
      key(index + 1, droppedAt === undefined ? { signsFrom } : { signsFrom, droppedAt }),
    ),
  )

it('law: at most one key signs, and exactly one if none was dropped', () => {
  fc.assert(
    fc.property(arbitraryKeys, fc.nat(80_000), (keys, now) => {
      const signing = statesAt(keys, now).filter((state) => state.endsWith('signing'))

      expect(signing.length).toBeLessThanOrEqual(1)
      if (keys.every(({ droppedAt }) => droppedAt === undefined)) expect(signing).toHaveLength(1)
    }),
  )
})

it('law: no state changes before the time that nextChange returns', () => {
  fc.assert(
    fc.property(arbitraryKeys, fc.nat(80_000), fc.nat(20_000), (keys, now, later) => {
      const until = nextChange(keyStates(keys, epochSeconds(now), schedule), epochSeconds(now), schedule)

      if (now + later < until) expect(statesAt(keys, now + later)).toEqual(statesAt(keys, now))
    }),
  )
})

it('law: a key is published until every token that it signed has expired, unless it was dropped', () => {
  fc.assert(
    fc.property(arbitraryKeys, fc.nat(80_000), fc.nat(schedule.retire - 1), (keys, now, age) => {
      const signer = keyStates(keys, epochSeconds(now), schedule).find(({ state }) => state === 'signing')?.record

      const later = keyStates(keys, epochSeconds(now + age), schedule).find(({ record }) => record === signer)
      if (signer !== undefined) expect(later?.state).not.toBe('dropped')
    }),
  )
})

it('law: deleting a key never changes the state of another key', () => {
  fc.assert(
    fc.property(arbitraryKeys, fc.nat(80_000), fc.nat(50_000), (keys, now, later) => {
      const removed = new Set(removableKeys(keys, epochSeconds(now), schedule))
      const remaining = keys.filter((each) => !removed.has(each))
      const after = statesAt(keys, now + later).filter((state) =>
        remaining.some(({ ordinal }) => state.startsWith(`${ordinal} `)),
      )

      expect([...removed].every((each) => statesAt(keys, now).includes(`${each.ordinal} dropped`))).toBe(true)
      expect(statesAt(remaining, now + later)).toEqual(after)
    }),
  )
})
