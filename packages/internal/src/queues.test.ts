import { expect, test } from 'vitest'
import { createQueues, createSharedWork } from './queues.ts'

test('starts work of a key when its earlier work has settled, and runs work of another key at the same time', async () => {
  const queue = createQueues()
  const first = pendingWork()
  const begun: string[] = []
  const begin = (name: string) => async () => void begun.push(name)

  const all = Promise.allSettled([
    queue('a', () => first.done),
    queue('a', begin('second')),
    queue('a', begin('third')),
  ])
  await queue('b', begin('other'))
  expect(begun).toEqual(['other'])

  first.fail()
  expect((await all).map(({ status }) => status)).toEqual(['rejected', 'fulfilled', 'fulfilled'])
  expect(begun).toEqual(['other', 'second', 'third'])
})

test('rejects work that waits too long without starting it, and later work still waits for the first', async () => {
  const queue = createQueues({ milliseconds: 20, error: () => new RangeError('It is late') })
  const first = pendingWork()
  const begun: string[] = []

  const done = queue('a', () => first.done)
  await expect(queue('a', async () => begun.push('second'))).rejects.toThrow('It is late')
  const third = queue('a', async () => begun.push('third'))
  await Promise.resolve()
  expect(begun).toEqual([])

  first.succeed()
  await done
  await third
  expect(begun).toEqual(['third'])
})

test('shares running work of a key, and starts it again after it has failed', async () => {
  const share = createSharedWork<string>()
  const first = pendingWork()
  const begun: string[] = []
  const begin = (name: string, done: Promise<void>) => async () => {
    begun.push(name)
    await done
    return name
  }

  const calls = Promise.allSettled([
    share('a', begin('first', first.done)),
    share('a', begin('second', Promise.resolve())),
    share('b', begin('other', Promise.resolve())),
  ])
  first.fail()
  expect((await calls).map((call) => (call.status === 'fulfilled' ? call.value : 'failed'))).toEqual([
    'failed',
    'failed',
    'other',
  ])
  expect(begun).toEqual(['first', 'other'])

  await expect(share('a', begin('third', Promise.resolve()))).resolves.toBe('third')
  await expect(share('a', begin('fourth', Promise.resolve()))).resolves.toBe('fourth')
})

/** Work whose outcome the test decides. */
function pendingWork() {
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
