import { StorageUnavailableError } from '@mintmark/storage-interface'

/**
 * Reads what a client threw. Whatever keeps Redis from answering now is an outage: a lost or closed connection, a
 * command that timed out, READONLY, CLUSTERDOWN, LOADING, MASTERDOWN, TRYAGAIN, OOM, MISCONF, NOREPLICAS, BUSY, refused
 * credentials. Only a reply that calls the request itself wrong is passed on as it is: no retry mends it.
 */
export function storageError(thrown: unknown): unknown {
  if (thrown instanceof StorageUnavailableError) return thrown
  if (thrown instanceof Error && isDefect(thrown.message)) return thrown

  return new StorageUnavailableError('Redis cannot answer now.', { cause: thrown })
}

/** `ERR` also names a full server, which is an outage. */
function isDefect(message: string): boolean {
  return /^(?:ERR|WRONGTYPE|CROSSSLOT) /.test(message) && !message.startsWith('ERR max number of clients')
}
