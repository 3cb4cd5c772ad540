import { epochSeconds, keyId, type SigningKeyRecord } from '@mintmark/storage-interface'
import { aSigningKeyRecord } from '@mintmark/storage-interface/contract'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'

import { documentMaxAge } from '../discovery/public-document.ts'
import { keyStates, nextChange, parseKeySchedule, removableKeys, type KeyScheduleOptions } from './schedule.ts'

const day = 86_400

describe('the schedule of keys', () => {
  it('is a quarter of a year, with a day of notice and two weeks of grace', () => {
    expect(parseKeySchedule({})).toEqual({ announce: day, sign: 90 * day, retire: 14 * day, staleness: 5 })
  })

  it('OIDC Core §10.1.1: may be as short as copies of /jwks allow', () => {
    const schedule = { announce: documentMaxAge + 5, sign: documentMaxAge + 605, retire: 600 }

    expect(parseKeySchedule(schedule)).toEqual({ ...schedule, staleness: 5 })
  })

  it.each([
    [
      'an announcement shorter than /jwks is cached (OIDC Core §10.1.1)',
      { announce: documentMaxAge + 4 },
      /at least 300 and staleness.*announce/s,
    ],
    ['an announcement that does not reckon with staleness', { announce: documentMaxAge + 5, staleness: 6 }, /announce/],
    [
      'a key that signs for less than announcing and retiring take',
      { sign: 15 * day - 1 },
      /announce and retire together.*sign/s,
    ],
    ['a time that is no whole number', { retire: 0.5 }, /retire/],
    ['a time that is negative', { staleness: -1 }, /staleness/],
    ['a misspelled member', { anounce: 5 }, /anounce/],
  ])('refuses %s', (_case, wrong, message) => {
    const schedule = wrong as KeyScheduleOptions

    expect(() => parseKeySchedule(schedule)).toThrow(TypeError)
    expect(() => parseKeySchedule(schedule)).toThrow(message)
  })
})

const schedule = parseKeySchedule({ announce: 1000, sign: 10_000, retire: 2000, staleness: 5 })

/** The ordinal-th key, which signs from 10,000 times its ordinal unless told otherwise. */
const key = (ordinal: number, change: Partial<Record<'signsFrom' | 'droppedAt', number>> = {}): SigningKeyRecord =>
  aSigningKeyRecord({
    keyId: keyId(`key-${ordinal}`),
    ordinal,
    signsFrom: epochSeconds(change.signsFrom ?? ordinal * 10_000),
    droppedAt: change.droppedAt === undefined ? undefined : epochSeconds(change.droppedAt),
  })

const statesAt = (keys: readonly SigningKeyRecord[], now: number): readonly string[] =>
  keyStates(keys, epochSeconds(now), schedule).map(({ record, state }) => `${record.ordinal} ${state}`)

describe('OIDC Core §10.1.1: the state of a key', () => {
  it.each([
    ['long before', 0, ['1 signing', '2 announced']],
    ['when the first signs', 10_000, ['1 signing', '2 announced']],
    ['a second before the next', 19_999, ['1 signing', '2 announced']],
    ['when the next takes over', 20_000, ['1 retired', '2 signing']],
    ['a second before the first is dropped', 21_999, ['1 retired', '2 signing']],
    ['when the first is dropped', 22_000, ['1 dropped', '2 signing']],
  ])('%s', (_when, now, states) => {
    expect(statesAt([key(2), key(1)], now)).toEqual(states)
  })

  it('counts for each algorithm by itself', () => {
    const other: SigningKeyRecord = { ...key(2), keyId: keyId('other'), algorithm: 'RS256' }

    expect(statesAt([key(1), other], 30_000)).toEqual(['1 signing', '2 signing'])
  })

  it('of two keys of one second the later made signs', () => {
    expect(statesAt([key(2, { signsFrom: 10_000 }), key(1)], 10_000)).toEqual(['1 retired', '2 signing'])
  })
})

describe('a dropped key', () => {
  it('is replaced by the announced one at once, and those before it stay as they are', () => {
    const keys = [key(1), key(2, { droppedAt: 20_500 }), key(3)]

    expect(statesAt(keys, 20_600)).toEqual(['1 retired', '2 dropped', '3 signing'])
    expect(statesAt(keys, 22_000)).toEqual(['1 dropped', '2 dropped', '3 signing'])
    expect(statesAt(keys, 30_000)).toEqual(['1 dropped', '2 dropped', '3 signing'])
  })

  it('leaves none to sign when none is announced: a retired key does not sign again', () => {
    expect(statesAt([key(1), key(2, { droppedAt: 20_500 })], 20_600)).toEqual(['1 retired', '2 dropped'])
  })

  it('was only announced: the present key signs on, as if the other had never been', () => {
    const keys = [key(1), key(2, { droppedAt: 15_000 })]

    for (const now of [15_000, 20_000, 50_000]) expect(statesAt(keys, now)).toEqual(['2 dropped', '1 signing'])
  })

  it('is dropped whatever the clock says', () => {
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

it('law: at most one key signs, and one does while no key was dropped', () => {
  fc.assert(
    fc.property(arbitraryKeys, fc.nat(80_000), (keys, now) => {
      const signing = statesAt(keys, now).filter((state) => state.endsWith('signing'))

      expect(signing.length).toBeLessThanOrEqual(1)
      if (keys.every(({ droppedAt }) => droppedAt === undefined)) expect(signing).toHaveLength(1)
    }),
  )
})

it('law: nothing changes before the next change', () => {
  fc.assert(
    fc.property(arbitraryKeys, fc.nat(80_000), fc.nat(20_000), (keys, now, later) => {
      const until = nextChange(keyStates(keys, epochSeconds(now), schedule), epochSeconds(now))

      if (now + later < until) expect(statesAt(keys, now + later)).toEqual(statesAt(keys, now))
    }),
  )
})

it('law: what a key signed is accepted for as long as anything lives, unless the key was dropped', () => {
  fc.assert(
    fc.property(arbitraryKeys, fc.nat(80_000), fc.nat(schedule.retire - 1), (keys, now, age) => {
      const signer = keyStates(keys, epochSeconds(now), schedule).find(({ state }) => state === 'signing')?.record

      const later = keyStates(keys, epochSeconds(now + age), schedule).find(({ record }) => record === signer)
      if (signer !== undefined) expect(later?.state).not.toBe('dropped')
    }),
  )
})

it('law: a key that is removed changes no other key, then or later', () => {
  fc.assert(
    fc.property(arbitraryKeys, fc.nat(80_000), fc.nat(50_000), (keys, now, later) => {
      const removed = new Set(removableKeys(keys, epochSeconds(now), schedule))
      const kept = keys.filter((each) => !removed.has(each))
      const after = statesAt(keys, now + later).filter((state) =>
        kept.some(({ ordinal }) => state.startsWith(`${ordinal} `)),
      )

      expect([...removed].every((each) => statesAt(keys, now).includes(`${each.ordinal} dropped`))).toBe(true)
      expect(statesAt(kept, now + later)).toEqual(after)
    }),
  )
})
