import { describe, expect, it } from 'vitest'

import { documentMaxAge } from '../discovery/public-document.ts'
import { parseKeySchedule, type KeyScheduleOptions } from './key-schedule.ts'

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
