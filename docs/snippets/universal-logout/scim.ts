import { createScimServer } from '@mintmark/scim'
import { createMemoryStorage } from '@mintmark/storage-interface/memory'

const issuer = 'https://id.example.com'
const storage = createMemoryStorage({ issuer })

export const scim = createScimServer({ issuer, storage, universalLogout: {} })
