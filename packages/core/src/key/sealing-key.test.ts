import { describe, expect, it } from 'vitest'

import { systemRandom } from '../runtime/random.ts'
import { importSealingKey, parseSealingKey } from './sealing-key.ts'

const secret = parseSealingKey('A'.repeat(43))

describe('sealing key', () => {
  it('opens what it sealed, in the same context', async () => {
    const key = await importSealingKey(secret)

    const sealed = await key.seal('private', 'row 1', systemRandom)

    expect(sealed).not.toContain('private')
    expect(await key.open(sealed, 'row 1')).toBe('private')
  })

  it('seals the same text differently each time', async () => {
    const key = await importSealingKey(secret)

    const [first, second] = await Promise.all([key.seal('x', 'c', systemRandom), key.seal('x', 'c', systemRandom)])

    expect(first).not.toBe(second)
  })

  it('does not open with another context, another key, or when one character was altered', async () => {
    const key = await importSealingKey(secret)
    const other = await importSealingKey(parseSealingKey('B'.repeat(42) + 'A'))
    const sealed = await key.seal('private', 'row 1', systemRandom)
    const altered = sealed.slice(0, 20) + (sealed[20] === 'A' ? 'B' : 'A') + sealed.slice(21)

    await expect(key.open(sealed, 'row 2')).rejects.toThrow()
    await expect(other.open(sealed, 'row 1')).rejects.toThrow()
    await expect(key.open(altered, 'row 1')).rejects.toThrow()
  })

  it.each(['', 'short', 'A'.repeat(42), 'a'.repeat(64), 'A'.repeat(86), 'not base64!'])(
    'refuses a secret that is not 32 bytes in base64url, and says how to make one: %j',
    (wrong) => {
      expect(() => parseSealingKey(wrong)).toThrow(/43 characters.*randomBytes\(32\)/)
    },
  )
})
