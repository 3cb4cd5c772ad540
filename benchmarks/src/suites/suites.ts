import { growthSuites } from './growth-suites.ts'
import { oauthSuites } from './oauth-suites.ts'
import { scimSuites } from './scim-suites.ts'
import type { Suite } from './suite.ts'

/**
 * Returns all suites.
 * @param sizes the numbers of rows in the growth suites.
 */
export const allSuites = (sizes: readonly number[]): readonly Suite[] => [
  ...oauthSuites,
  ...scimSuites,
  ...growthSuites(sizes),
]
