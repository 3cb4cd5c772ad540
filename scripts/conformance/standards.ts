import { rfc6749 } from './rfc-6749.ts'
import type { Standard } from './standard.ts'

/** Every standard in scope, in the order of the page. */
export const standards: readonly Standard[] = [rfc6749]
