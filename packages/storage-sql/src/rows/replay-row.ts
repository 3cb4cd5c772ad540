import { hash } from 'node:crypto'

export const replayColumns = ['issuer', 'purpose', 'value_digest', 'expires_at'] as const

/** What is known besides of a token that was ended by itself. */
export const revokedTokenColumns = ['value', 'claimed_at'] as const

/** Claimed values may be of any length and content: the key is their SHA-256, base64url. */
export const replayedValueDigest = (value: string): string => hash('sha256', value, 'base64url')
