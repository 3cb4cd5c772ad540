import { describe, expect, test } from 'vitest'

import { createFairTurns } from './fair-turns.ts'

/** Work that ends when the test says so. */
function piecesOfWork() {
  const begun: string[] = []
  const ends = new Map<string, () => void>()
  const work = (name: string) => () => {
    begun.push(name)
    return new Promise<void>((resolve) => void ends.set(name, resolve))
  }
  return {
    begun,
    work,
    end: async (name: string) => {
      ends.get(name)?.()
      for (let turn = 0; turn < 10; turn += 1) await Promise.resolve()
    },
  }
}

describe('fair turns', () => {
  test('an owner waits for one piece of work of each other owner, however much they ask for', async () => {
    const turns = createFairTurns({ atOnce: 1 })
    const { begun, work, end } = piecesOfWork()
    for (const name of ['a1', 'a2', 'a3', 'a4', 'b1', 'c1', 'b2']) void turns({ owner: name.charAt(0) }, work(name))

    for (const name of ['a1', 'a2', 'b1', 'c1', 'a3', 'b2', 'a4']) {
      await Promise.resolve()
      expect(begun.at(-1)).toBe(name)
      await end(name)
    }
  })

  test('runs as much at once as it may, and goes on after work that failed', async () => {
    const turns = createFairTurns({ atOnce: 2 })
    const { begun, work, end } = piecesOfWork()
    const failing = turns({ owner: 'a' }, () => Promise.reject(new Error('wrong')))
    void turns({ owner: 'a' }, work('a2'))
    void turns({ owner: 'a' }, work('a3'))

    await expect(failing).rejects.toThrow('wrong')

    await end('')
    expect(begun).toEqual(['a2', 'a3'])
  })

  test('forgets work whose caller leaves before its turn', async () => {
    const turns = createFairTurns({ atOnce: 1 })
    const { begun, work, end } = piecesOfWork()
    const controller = new AbortController()
    void turns({ owner: 'a' }, work('a1'))
    const abandoned = turns({ owner: 'b', signal: controller.signal }, work('b1'))
    void turns({ owner: 'c' }, work('c1'))

    controller.abort(new Error('left'))

    await expect(abandoned).rejects.toThrow('left')
    await end('a1')
    expect(begun).toEqual(['a1', 'c1'])
  })

  test('fails work whose turn does not come in time', async () => {
    const turns = createFairTurns({ atOnce: 1, timeout: { milliseconds: 1, error: () => new Error('too long') } })
    const { begun, work, end } = piecesOfWork()
    void turns({ owner: 'a' }, work('a1'))

    await expect(turns({ owner: 'b' }, work('b1'))).rejects.toThrow('too long')

    await end('a1')
    expect(begun).toEqual(['a1'])
  })
})
