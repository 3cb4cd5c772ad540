import type { Logger } from '@mintmark/core'

export const silentLogger: Logger = { info: () => undefined, warn: () => undefined, error: () => undefined }
