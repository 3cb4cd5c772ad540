/**
 * Who administers: a person or a client by an access token of ours, or somebody whom the host knows, such as an
 * operator at a command line. The identifier goes into events and logs.
 */
export interface Actor {
  readonly kind: 'person' | 'client' | 'host'
  readonly id: string
}
