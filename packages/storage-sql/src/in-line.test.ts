import { StorageUnavailableError } from '@mintmark/storage-interface'
import { expect, test } from 'vitest'
import { createQueues } from './in-line.ts'

test('work of one name starts when the work before it has settled, and work of another name runs beside it', async () => {
  const inLine = createQueues(5000)
  const first = later()
  const begun: string[] = []
  const begin = (name: string) => async () => void begun.push(name)

  const all = Promise.allSettled([
    inLine('a', () => first.done),
    inLine('a', begin('second')),
    inLine('a', begin('third')),
  ])
  await inLine('b', begin('other'))
  expect(begun).toEqual(['other'])

  first.fail()
  expect((await all).map(({ status }) => status)).toEqual(['rejected', 'fulfilled', 'fulfilled'])
  expect(begun).toEqual(['other', 'second', 'third'])
})

test('work whose turn does not come in time is rejected unstarted, and later work still waits for the first', async () => {
  const inLine = createQueues(20)
  const first = later()
  const begun: string[] = []

  const done = inLine('a', () => first.done)
  await expect(inLine('a', async () => begun.push('second'))).rejects.toBeInstanceOf(StorageUnavailableError)
  const third = inLine('a', async () => begun.push('third'))
  await Promise.resolve()
  expect(begun).toEqual([])

  first.succeed()
  await done
  await third
  expect(begun).toEqual(['third'])
})

/** Work that is done when it is told so. */
function later() {
  const events = new EventTarget()
  const done = new Promise<void>((resolve, reject) => {
    events.addEventListener('succeed', () => resolve())
    events.addEventListener('fail', () => reject(new Error('It failed')))
  })
  return {
    done,
    succeed: () => events.dispatchEvent(new Event('succeed')),
    fail: () => events.dispatchEvent(new Event('fail')),
  }
}
