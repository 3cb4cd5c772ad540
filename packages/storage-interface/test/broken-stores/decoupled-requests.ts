import { epochSeconds } from '@mintmark/storage-interface'
import { aDecoupledRequest } from '@mintmark/storage-interface/fixtures'
import { breakStore, type BrokenStore, letOthersGoFirst } from './break-store.ts'

const owner = aDecoupledRequest().clientId

/** One broken store for each law about decoupled requests. */
export const brokenDecoupledRequests: Readonly<Record<string, BrokenStore>> = {
  'decoupled requests: a digest and a user code are inserted at most once, and the first record stays': breakStore(
    'decoupledRequests',
    (honest) => ({
      insert: async (request) => {
        const { outcome } = await honest.insert(request)
        return outcome === 'inserted' ? { outcome } : honest.insert({ ...request, userCodeDigest: undefined })
      },
    }),
  ),
  'decoupled requests: a user code finds only a request that waits for a decision': breakStore(
    'decoupledRequests',
    (honest, _storage, seen) => ({
      findByUserCode: async (code, now) => {
        const found = await honest.findByUserCode(code, now)
        if (found !== undefined) seen.set(code, found.digest)
        return found ?? (seen.has(code) ? honest.find(aDecoupledRequest().digest, now) : undefined)
      },
    }),
  ),
  'decoupled requests: of 16 concurrent decisions exactly one counts': breakStore(
    'decoupledRequests',
    (honest, _storage, seen) => ({
      decide: async (request) => {
        const record = await honest.find(request.digest, request.now)
        if (record === undefined) return { outcome: 'absent' }
        if (seen.has(request.digest)) return { outcome: 'conflict' }
        await letOthersGoFirst()
        seen.set(request.digest, true)
        await honest.decide(request)
        return { outcome: 'decided', record }
      },
    }),
  ),
  'decoupled requests: a request that has expired is not decided': breakStore('decoupledRequests', (honest) => ({
    decide: (request) => honest.decide({ ...request, now: epochSeconds(request.now - 1) }),
  })),
  'decoupled requests: of all polls around an approval exactly one wins, and later polls are replays': breakStore(
    'decoupledRequests',
    (honest) => ({
      poll: async (request) => {
        const result = await honest.poll(request)
        return result.outcome === 'replayed' ? { ...result, outcome: 'won' } : result
      },
    }),
  ),
  'decoupled requests: a poll of another client is absent and changes nothing': breakStore(
    'decoupledRequests',
    (honest) => ({ poll: (request) => honest.poll({ ...request, clientId: owner }) }),
  ),
  'decoupled requests: early polls lengthen the interval, and a client that waits for it is heard': breakStore(
    'decoupledRequests',
    (honest) => ({
      poll: async (request) => {
        const result = await honest.poll(request)
        return result.outcome === 'slow_down' ? { outcome: 'pending' } : result
      },
    }),
  ),
  'decoupled requests: a decided request is answered without an interval': breakStore(
    'decoupledRequests',
    (honest, _storage, seen) => ({
      poll: async (request) => {
        const last = seen.get(request.digest)
        seen.set(request.digest, request.now)
        return last === request.now ? { outcome: 'slow_down' } : honest.poll(request)
      },
    }),
  ),
  'decoupled requests: polls learn that a request has expired, until it is absent': breakStore(
    'decoupledRequests',
    (honest) => ({
      poll: async (request) => {
        const result = await honest.poll(request)
        return result.outcome === 'expired' ? { outcome: 'absent' } : result
      },
    }),
  ),
  'decoupled requests: an absent request is purged, and its user code is free again': breakStore('purge', () => ({
    purgeExpired: () => Promise.resolve({ removed: 0, done: true }),
  })),
}
