import { toExpress } from '@mintmark/adapter-express'
import { createHealth, type AuthorizationServer } from '@mintmark/core'
import express from 'express'

export const createApp = (server: AuthorizationServer) => express().use(toExpress(createHealth({ server }), server))
