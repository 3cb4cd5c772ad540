import { secretDigest, type SecretDigest } from '../../identifiers.ts'

/** A value shaped like a digest (43 characters of base64url), different for each label of letters, digits, `-` and `_`. */
export const aDigest = (label: string): SecretDigest => secretDigest(label.padEnd(43, '_').slice(0, 43))
