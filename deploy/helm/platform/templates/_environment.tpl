{{- /* One variable of a container: dict name, value. Whole numbers stay whole, however YAML was read. */ -}}
{{- define "platform.variable" -}}
- name: {{ .name }}
{{- if kindIs "map" .value }}
  valueFrom:
    {{- toYaml .value | nindent 4 }}
{{- else if and (kindIs "float64" .value) (eq (floor .value) .value) }}
  value: {{ int64 .value | quote }}
{{- else }}
  value: {{ toString .value | quote }}
{{- end }}
{{- end -}}

{{- /* What the chart itself knows for variables that are not set: dict root, line. */ -}}
{{- define "platform.presets" -}}
{{- $root := .root -}}
{{- $fullname := include "platform.fullname" $root -}}
{{- $values := $root.Values -}}
CONFIGURED_IN: {{ printf "config in the values of the Helm release %s" $root.Release.Name | quote }}
SHUTDOWN_DELAY_MS: 10000
SHUTDOWN_GRACE_MS: 45000
{{- if or $values.ingress.enabled $values.httpRoute.enabled }}
TRUSTED_PROXY_HOPS: 1
{{- else if not (and (ne $values.service.type "ClusterIP") (eq $values.service.externalTrafficPolicy "Local")) }}
{{- /* Many come from the address of a node, the probes of the kubelet among them: refused, they would have it restarted. */}}
MAX_CONNECTIONS_PER_ADDRESS: 0
{{- end }}
{{- if $values.files.persistence.enabled }}
FILES_URL: file:/data/files
{{- end }}
{{- if $values.postgresql.enabled }}
DATABASE_URL: { secretKeyRef: { name: {{ $fullname }}-postgresql-app, key: uri } }
{{- end }}
{{- if $values.valkey.enabled }}
CACHE_URL: { secretKeyRef: { name: {{ $fullname }}-valkey, key: url } }
{{- end }}
{{- if $values.nats.enabled }}
BROKER_URL: { secretKeyRef: { name: {{ $fullname }}-nats, key: url } }
{{- end }}
{{- if $values.opensearch.enabled }}
SEARCH_URL: opensearch+http://{{ $fullname }}-opensearch:9200
{{- end }}
{{- range .line.secrets }}
{{ . }}: { secretKeyRef: { name: {{ include "platform.secretName" $root }}, key: {{ . }} } }
{{- end }}
{{- if and $values.config.ADMIN_EMAIL (not $values.secrets.existingSecret) }}
ADMIN_PASSWORD: { secretKeyRef: { name: {{ include "platform.secretName" $root }}, key: ADMIN_PASSWORD } }
{{- end }}
{{- end -}}

{{- /* What a service is given: its own, that of all, what the chart knows. dict root, component, line. */ -}}
{{- define "platform.given" -}}
{{- $service := get .root.Values.services .component | default dict -}}
{{- $sources := list ($service.config | default dict) .root.Values.config (fromYaml (include "platform.presets" .)) -}}
{{- $given := dict -}}
{{- range $variable := .line.variables }}
{{- range $source := $sources }}
{{- if and (hasKey $source $variable) (not (hasKey $given $variable)) }}
{{- $_ := set $given $variable (get $source $variable) }}
{{- end }}
{{- end }}
{{- end }}
{{- toYaml $given -}}
{{- end -}}

{{- /* The variables of the container of a service: dict root, component, line. */ -}}
{{- define "platform.environment" -}}
{{- $root := .root -}}
{{- $given := fromYaml (include "platform.given" .) -}}
{{- range .line.required }}
{{- if not (hasKey $given .) }}
{{- fail (printf "%s needs %s: set config.%s, or services.%s.config.%s." $.component . . $.component .) }}
{{- end }}
{{- end }}
{{- include "platform.variable" (dict "name" "PORT" "value" .line.port) }}
{{ include "platform.variable" (dict "name" "METRICS_PORT" "value" $root.Values.metrics.port) }}
{{- $fullname := include "platform.fullname" $root }}
{{- range $name, $line := (fromYaml (include "platform.services" $root)) }}
{{- $path := ternary "/v2" "" (eq $name "api-gateway") }}
{{ include "platform.variable" (dict "name" $line.urlVariable "value" (printf "http://%s-%s:%v%s" $fullname $name $line.port $path)) }}
{{- end }}
{{- range $name, $value := $given }}
{{ include "platform.variable" (dict "name" $name "value" $value) }}
{{- end }}
{{- end -}}

{{- /* Longer than the process may take to stop: dict root, component, line. */ -}}
{{- define "platform.terminationGracePeriodSeconds" -}}
{{- $given := fromYaml (include "platform.given" .) -}}
{{- add (divf $given.SHUTDOWN_GRACE_MS 1000 | ceil | int) 10 -}}
{{- end -}}
