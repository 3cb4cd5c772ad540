import { describe, expect, test } from 'vitest'

import { createFairTurns } from './fair-turns.ts'

/** Creates work that ends when the test calls `end`. */
function piecesOfWork() {
  const started: string[] = []
  const ends = new Map<string, () => void>()
  const work = (name: string) => () => {
    started.push(name)
    return new Promise<void>((resolve) => void ends.set(name, resolve))
  }
  return {
    started,
    work,
    end: async (name: string) => {
      ends.get(name)?.()
      for (let turn = 0; turn < 10; turn += 1) await Promise.resolve()
    },
  }
}

describe('fair turns', () => {
  test('an owner waits for one piece of work of each other owner, however much work they have', async () => {
    const turns = createFairTurns({ atOnce: 1 })
    const { started, work, end } = piecesOfWork()
    for (const name of ['a1', 'a2', 'a3', 'a4', 'b1', 'c1', 'b2']) void turns({ owner: name.charAt(0) }, work(name))

    for (const name of ['a1', 'a2', 'b1', 'c1', 'a3', 'b2', 'a4']) {
      await Promise.resolve()
      expect(started.at(-1)).toBe(name)
      await end(name)
    }
  })

  test('runs as many pieces of work at once as are allowed, and continues after one has failed', async () => {
    const turns = createFairTurns({ atOnce: 2 })
    const { started, work, end } = piecesOfWork()
    const failing = turns({ owner: 'a' }, () => Promise.reject(new Error('wrong')))
    void turns({ owner: 'a' }, work('a2'))
    void turns({ owner: 'a' }, work('a3'))

    await expect(failing).rejects.toThrow('wrong')

    await end('')
    expect(started).toEqual(['a2', 'a3'])
  })

  test('drops work whose caller aborts before its turn', async () => {
    const turns = createFairTurns({ atOnce: 1 })
    const { started, work, end } = piecesOfWork()
    const controller = new AbortController()
    void turns({ owner: 'a' }, work('a1'))
    const abandoned = turns({ owner: 'b', signal: controller.signal }, work('b1'))
    void turns({ owner: 'c' }, work('c1'))

    controller.abort(new Error('left'))

    await expect(abandoned).rejects.toThrow('left')
    await end('a1')
    expect(started).toEqual(['a1', 'c1'])
  })

  test('fails work whose turn does not come in time', async () => {
    const turns = createFairTurns({ atOnce: 1, timeout: { milliseconds: 1, error: () => new Error('too long') } })
    const { started, work, end } = piecesOfWork()
    void turns({ owner: 'a' }, work('a1'))

    await expect(turns({ owner: 'b' }, work('b1'))).rejects.toThrow('too long')

    await end('a1')
    expect(started).toEqual(['a1'])
  })
})
