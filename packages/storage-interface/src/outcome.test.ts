import { expect, it } from 'vitest'
import { StorageUnavailableError, untilSettled } from './outcome.ts'

it('goes on until the attempt held', async () => {
  const answers = [undefined, undefined, 'held']

  expect(await untilSettled(() => Promise.resolve(answers.shift()))).toBe('held')
})

it('a store whose reads are stale is down, it does not hold the server up for ever', async () => {
  let attempts = 0
  const never = (): Promise<undefined> => Promise.resolve(void (attempts += 1))

  await expect(untilSettled(never)).rejects.toThrow(StorageUnavailableError)
  expect(attempts).toBe(200)
})
