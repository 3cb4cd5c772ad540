import { createRecentMap } from '@mintmark/internal'

import type { UnreleasedClaims } from './claims.ts'

/** Reports each claim of a client once: every token of the client would lack it. */
export function reportOnce(report: (unreleased: UnreleasedClaims) => void): (unreleased: UnreleasedClaims) => void {
  const reported = createRecentMap<{ isNew: boolean }>({ limit: 1000 })
  return ({ clientId, destination, names }) => {
    const unreported = names.filter((name) => {
      const entry = reported.get(JSON.stringify([clientId, destination, name]), () => ({ isNew: true }))
      const { isNew } = entry
      entry.isNew = false
      return isNew
    })
    if (unreported.length > 0) report({ clientId, destination, names: unreported })
  }
}
