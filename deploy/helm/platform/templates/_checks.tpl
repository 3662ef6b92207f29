{{- /* What would only be found out by pods that do not start, told before anything is installed. */ -}}
{{- define "platform.checks" -}}
{{- $config := .Values.config -}}
{{- if not $config.API_URL -}}
{{- fail "config.API_URL is missing: the public https address of the API, for example https://api.example.com/v2." -}}
{{- end -}}
{{- $url := ternary $config.API_URL "https:" (kindIs "string" $config.API_URL) -}}
{{- if and (hasPrefix "http:" $url) (ne (toString $config.NODE_ENV) "development") -}}
{{- fail "config.API_URL must begin with https: credentials would travel in clear." -}}
{{- end -}}
{{- range $component, $line := (fromYaml (include "platform.services" .)) -}}
{{- $given := fromYaml (include "platform.given" (dict "root" $ "component" $component "line" $line)) -}}
{{- if and (has "postgres" $line.needs) (not $given.DATABASE_URL) -}}
{{- fail "config.DATABASE_URL is missing: the PostgreSQL of the platform. Put its address, postgres://user:password@host:5432/database, into a Secret and name that in config.DATABASE_URL.secretKeyRef, or let CloudNativePG run one: postgresql.enabled." -}}
{{- end -}}
{{- if and (has "cache" $line.needs) (not $given.CACHE_URL) -}}
{{- fail "config.CACHE_URL is missing: the Redis or Valkey that instances count rate limits in together. Name a Secret with redis://:password@host:6379 in config.CACHE_URL.secretKeyRef, let this release run one (valkey.enabled), or say that each process counts for itself: config.CACHE_URL=memory:." -}}
{{- end -}}
{{- $settings := fromYaml (include "platform.settings" (dict "root" $ "component" $component)) -}}
{{- $most := ternary $settings.autoscaling.maxReplicas $settings.replicas $settings.autoscaling.enabled | int -}}
{{- $files := $.Values.files.persistence -}}
{{- if and (has "files" $line.needs) $files.enabled (gt $most 1) (not (has "ReadWriteMany" $files.accessModes)) -}}
{{- fail (printf "files.persistence can't be mounted by up to %d instances of %s with accessModes %s: use ReadWriteMany, an object store (config.FILES_URL), or one instance (services.%s.autoscaling.enabled=false, replicas=1)." $most $component (toJson $files.accessModes) $component) -}}
{{- end -}}
{{- if gt (int $settings.autoscaling.minReplicas) (int $settings.autoscaling.maxReplicas) -}}
{{- fail (printf "autoscaling.minReplicas of %s is above its maxReplicas." $component) -}}
{{- end -}}
{{- end -}}
{{- if and .Values.opensearch.enabled (not .Values.networkPolicy.enabled) -}}
{{- fail "opensearch.enabled needs networkPolicy.enabled: it asks nobody for a password." -}}
{{- end -}}
{{- if and .Values.httpRoute.enabled (not .Values.httpRoute.parentRefs) -}}
{{- fail "httpRoute.parentRefs is missing: the Gateway that takes the requests, for example [{ name: public, namespace: gateways }]." -}}
{{- end -}}
{{- end -}}
