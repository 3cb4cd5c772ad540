import { expect, it } from 'vitest'
import { StorageUnavailableError, untilSettled } from './outcome.ts'

it('untilSettled retries until an attempt succeeds', async () => {
  const results = [undefined, undefined, 'written']

  expect(await untilSettled(() => Promise.resolve(results.shift()))).toBe('written')
})

it('untilSettled gives up on a store whose reads stay stale, and reports it as unavailable', async () => {
  let attempts = 0
  const never = (): Promise<undefined> => Promise.resolve(void (attempts += 1))

  await expect(untilSettled(never)).rejects.toThrow(StorageUnavailableError)
  expect(attempts).toBe(200)
})
