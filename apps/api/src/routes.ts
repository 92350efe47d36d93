import type { Route } from './http/define-route.ts';
import { listChangesRoute } from './routes/changes.ts';
import {
  createCommentRoute,
  deleteCommentRoute,
  listCommentsRoute,
  updateCommentRoute,
} from './routes/comments.ts';
import { linkCoverageRoute } from './routes/coverage.ts';
import type { CreateLinkOptions } from './routes/create-link-body.ts';
import { listEntitiesRoute } from './routes/entities.ts';
import { linkHealthRoute } from './routes/health.ts';
import { createImportRoute } from './routes/import.ts';
import {
  createLinkRoute,
  deleteLinkRoute,
  listLinksRoute,
  replaceCredentialsRoute,
  updateLinkRoute,
} from './routes/links.ts';
import { createRefreshRoute, refreshRunRoute } from './routes/refresh.ts';
import { linkRevisionsRoute } from './routes/revisions.ts';
import { linkScheduleRoute, updateScheduleRoute } from './routes/schedule.ts';
import {
  adAccountRoute,
  adGroupRoute,
  adsRoute,
  blogRoute,
  campaignRoute,
} from './routes/statistics.ts';

/** Every endpoint of the API. What configuration decides is a field of one of them, never which of them there are. */
export function createRoutes(options: CreateLinkOptions): readonly Route[] {
  return [
    adAccountRoute,
    campaignRoute,
    adGroupRoute,
    adsRoute,
    blogRoute,
    listCommentsRoute,
    createCommentRoute,
    updateCommentRoute,
    deleteCommentRoute,
    listLinksRoute,
    createLinkRoute(options),
    updateLinkRoute,
    deleteLinkRoute,
    replaceCredentialsRoute,
    listEntitiesRoute,
    linkCoverageRoute,
    linkHealthRoute,
    linkScheduleRoute,
    updateScheduleRoute,
    createImportRoute(),
    linkRevisionsRoute,
    createRefreshRoute(options),
    refreshRunRoute,
    listChangesRoute,
  ];
}
