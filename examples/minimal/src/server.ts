import { toExpress } from '@mintmark/adapter-express'
import express from 'express'
import { issuer, server } from './authorization-server.ts'

express()
  .use(toExpress(server))
  .listen(new URL(issuer).port || 3000)
