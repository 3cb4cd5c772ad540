import { expect, it } from 'vitest'
import { StorageUnavailableError, untilSettled } from './outcome.ts'

it('retries until an attempt succeeds', async () => {
  const answers = [undefined, undefined, 'held']

  expect(await untilSettled(() => Promise.resolve(answers.shift()))).toBe('held')
})

it('gives up on a store whose reads stay stale, and reports it as unavailable', async () => {
  let attempts = 0
  const never = (): Promise<undefined> => Promise.resolve(void (attempts += 1))

  await expect(untilSettled(never)).rejects.toThrow(StorageUnavailableError)
  expect(attempts).toBe(200)
})
