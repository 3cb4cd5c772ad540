import { toFetch } from '@mintmark/adapter-fetch'
import { server } from './authorization-server.ts'

const mintmark = toFetch(server)

export {
  mintmark as DELETE,
  mintmark as GET,
  mintmark as HEAD,
  mintmark as OPTIONS,
  mintmark as PATCH,
  mintmark as POST,
  mintmark as PUT,
}
