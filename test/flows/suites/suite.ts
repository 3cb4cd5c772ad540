import type { ReachableServer } from '../../support/server-under-test.ts'

/**
 * Tests of a server that is reached over HTTP alone. The server exists when the tests run, not when they are declared.
 */
export type Suite = (reach: () => ReachableServer) => void
