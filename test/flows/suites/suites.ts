import { describe } from 'vitest'

import type { ReachableServer } from '../../support/server-under-test.ts'
import { authorizationSuite } from './authorization-suite.ts'
import { crossOriginSuite } from './cross-origin-suite.ts'
import { discoverySuite } from './discovery-suite.ts'
import { scimSuite } from './scim-suite.ts'
import type { Suite } from './suite.ts'
import { tokenSuite } from './token-suite.ts'
import { transportSuite } from './transport-suite.ts'

/** The suites that run through every adapter and on every runtime. */
const suites: Readonly<Record<string, Suite>> = {
  discovery: discoverySuite,
  authorization: authorizationSuite,
  tokens: tokenSuite,
  provisioning: scimSuite,
  'other origins': crossOriginSuite,
  transport: transportSuite,
}

/** Declares the tests of every suite. */
export function describeSuites(reach: () => ReachableServer): void {
  for (const [name, suite] of Object.entries(suites)) describe(name, () => suite(reach))
}
