import type { Messages, StandardScope } from './messages.ts'

/** Brazilian Portuguese. */
export const portuguese: Messages = {
  lang: 'pt',
  dir: 'ltr',
  unnamedClient: 'Um aplicativo sem nome',
  consent: {
    title: 'Permitir o acesso?',
    heading: '{client} quer usar sua conta',
    unverified: 'O aplicativo se apresenta como {client}. Esse nome não foi verificado; somente {host} é certo.',
    deviceWarning:
      'Qualquer programa neste dispositivo poderia usar esse nome. Permita o acesso somente se você acabou de iniciar o programa.',
    signedInAs: 'Conectado como {account}',
    scopesLegend: 'Acesso solicitado:',
    detailsLegend: 'Para sua aprovação:',
    organizationsLegend: 'Para qual organização?',
    alwaysIncluded: 'Sempre faz parte do login',
    grantedBefore: 'Você já permitiu isso antes',
    resources: 'Este acesso é para {names}',
    destination: {
      website: 'Em qualquer caso, você seguirá depois para {name}',
      device: 'Em qualquer caso, você seguirá depois para um programa neste dispositivo ({name})',
      app: 'Em qualquer caso, você seguirá depois para o aplicativo neste dispositivo identificado como {name}',
    },
    links: {
      legend: 'Páginas deste aplicativo:',
      website: 'Site',
      policy: 'Política de privacidade',
      terms: 'Termos de serviço',
    },
    deny: 'Recusar',
    allow: 'Permitir',
    scopes: {
      openid: 'Saber quem você é',
      profile: 'Ver seu nome e seu perfil',
      email: 'Ver seu endereço de e-mail',
      address: 'Ver seu endereço postal',
      phone: 'Ver seu número de telefone',
      offline_access: 'Manter o acesso na sua ausência',
      organization: 'Saber para qual organização você está conectado',
    } satisfies Readonly<Record<StandardScope, string>>,
  },
  signIn: {
    title: 'Entrar',
    toContinue: 'para continuar em {client}',
    username: 'E-mail ou nome de usuário',
    usernameHints: {
      directory: 'Sua organização gerencia sua conta? Digite primeiro o nome do diretório dela: diretório/nome',
    },
    password: 'Senha',
    submit: 'Entrar',
    forgotPassword: 'Esqueceu a senha?',
    createAccount: 'Criar uma conta',
    errorTitle: 'Não foi possível entrar',
    errors: {
      rejected: 'Nenhuma conta corresponde a esse nome e a essa senha. Verifique os dois e tente novamente.',
      incomplete: 'Preencha os dois campos e tente novamente.',
      throttled: 'Houve tentativas demais. Aguarde alguns minutos e tente novamente.',
    },
  },
  selectAccount: {
    title: 'Escolha uma conta',
    continueAs: 'Continuar como {account}',
    another: 'Usar outra conta',
  },
  error: {
    title: 'Ocorreu um erro',
    advice:
      'Volte ao aplicativo de onde você veio e comece de novo. Se o problema continuar, entre em contato com os responsáveis pelo aplicativo.',
    codeLabel: 'Código do erro',
    referenceLabel: 'Referência',
  },
  logout: {
    title: 'Sair da conta?',
    askedBy: '{client} pede que você saia da conta',
    signedInAs: 'Conectado como {account}',
    signOut: 'Sair',
    stay: 'Continuar conectado',
  },
  signedOut: {
    title: 'Você saiu da conta',
    text: 'Você pode fechar esta janela.',
    goOn: 'Continuar',
  },
  stillSignedIn: {
    title: 'Você continua conectado',
    text: 'Você pode fechar esta janela.',
  },
  account: {
    title: 'Sua conta',
    appsHeading: 'Aplicativos conectados',
    noApps: 'Nenhum aplicativo tem acesso à sua conta.',
    appSince: 'Conectado em {date}',
    disconnect: 'Desconectar',
    sessionsHeading: 'Onde você está conectado',
    thisBrowser: 'Este navegador',
    unknownBrowser: 'Navegador desconhecido',
    sessionTimes: 'Entrada em {since}, último uso em {used}',
    sessionApps: 'Conectado a {names}',
    endSession: 'Sair',
    endOthers: 'Sair de todas as outras sessões',
  },
}
