/** Creates an adapter for oidc-provider with Maps. It does not remove expired records, and a write scans no list. */
export function mapAdapter(): new (model: string) => object {
  const records = new Map<string, Stored>()
  const sessionsByUid = new Map<string, string>()
  const keysByGrant = new Map<string, Set<string>>()

  return class MapAdapter {
    readonly #model: string

    constructor(model: string) {
      this.#model = model
    }

    async upsert(id: string, payload: Stored): Promise<void> {
      const key = `${this.#model}:${id}`
      records.set(key, payload)
      if (this.#model === 'Session' && payload.uid !== undefined) sessionsByUid.set(payload.uid, id)
      if (payload.grantId !== undefined && this.#model !== 'Grant') {
        const members = keysByGrant.get(payload.grantId)
        if (members === undefined) keysByGrant.set(payload.grantId, new Set([key]))
        else members.add(key)
      }
    }

    async find(id: string): Promise<Stored | undefined> {
      return records.get(`${this.#model}:${id}`)
    }

    async findByUid(uid: string): Promise<Stored | undefined> {
      return this.find(sessionsByUid.get(uid) ?? '')
    }

    async consume(id: string): Promise<void> {
      const stored = records.get(`${this.#model}:${id}`)
      if (stored !== undefined) stored.consumed = Math.floor(Date.now() / 1000)
    }

    async destroy(id: string): Promise<void> {
      records.delete(`${this.#model}:${id}`)
    }

    async revokeByGrantId(grantId: string): Promise<void> {
      for (const key of keysByGrant.get(grantId) ?? []) records.delete(key)
      keysByGrant.delete(grantId)
    }
  }
}

interface Stored {
  readonly uid?: string
  readonly grantId?: string
  consumed?: number
}
