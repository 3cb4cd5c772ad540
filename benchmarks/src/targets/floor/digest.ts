import { hash } from 'node:crypto'

export const digest = (data: string | Uint8Array): string => hash('sha256', data, 'base64url')
