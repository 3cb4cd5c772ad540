import { describe, expect, it } from 'vitest'

import { createCapacity } from './capacity.ts'

const busy = new Error('busy')

/** Capacity for two requests, and work that lasts until it is released. */
function limited() {
  const capacity = createCapacity({ maximum: 2, refuse: () => busy })
  const run = async (work: () => Promise<void>): Promise<void> => {
    capacity.enter()
    try {
      await work()
    } finally {
      capacity.leave()
    }
  }
  const releases: (() => void)[] = []
  const lasting = () => new Promise<void>((resolve) => void releases.push(resolve))
  const release = () => releases.shift()?.()
  return { capacity, run, lasting, release, releases }
}

describe('the capacity of a service', () => {
  it('refuses work beyond the maximum, and admits work once other work has ended (RFC 9110 §15.6.4)', async () => {
    const { capacity, run, lasting, release } = limited()
    const first = run(lasting)
    const second = run(lasting)

    expect(() => capacity.check()).toThrow(busy)
    await expect(run(lasting)).rejects.toBe(busy)
    release()
    await first

    expect(() => capacity.check()).not.toThrow()
    release()
    await second
  })

  it('counts no work that has failed', async () => {
    const { capacity, run } = limited()
    const failing = () => Promise.reject(new Error('failed'))
    for (let n = 0; n < 5; n += 1) await expect(run(failing)).rejects.toThrow('failed')

    expect(() => capacity.check()).not.toThrow()
  })

  it('does not count requests that wait for another server, and bounds those that wait for the same one', async () => {
    const { capacity, run, lasting, releases } = limited()
    const waitFor = (key: string) => run(() => capacity.outside(key, lasting))
    const waiting = ['slow', 'slow', 'other'].map(waitFor)

    expect(() => capacity.check()).not.toThrow()
    await expect(waitFor('slow')).rejects.toBe(busy)
    for (const release of releases.splice(0)) release()
    await Promise.all(waiting)

    expect(() => capacity.check()).not.toThrow()
    const again = waitFor('slow')
    releases.shift()?.()
    await again
  })

  it('counts a request again after it has waited for another server', async () => {
    const { capacity, run, lasting, release } = limited()
    const first = run(async () => {
      await capacity.outside('slow', lasting)
      await lasting()
    })
    const second = run(lasting)
    release()
    await new Promise<void>((resolve) => void setImmediate(resolve))

    expect(() => capacity.check()).toThrow(busy)
    release()
    release()
    await Promise.all([first, second])
  })
})
