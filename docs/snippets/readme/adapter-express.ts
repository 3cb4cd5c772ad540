import { toExpress } from '@mintmark/adapter-express'
import express from 'express'

import { server } from './core.ts'

const app = express()
app.use(toExpress(server))
app.get('/hello', (_request, response) => void response.send('Your own routes stay as they are.'))
await server.ready()
app.listen(3000)
