{{- /* The name everything of this release begins with. */ -}}
{{- define "platform.fullname" -}}
{{- $name := default .Chart.Name .Values.nameOverride -}}
{{- $full := ternary .Release.Name (printf "%s-%s" .Release.Name $name) (contains $name .Release.Name) -}}
{{- default $full .Values.fullnameOverride | trunc 40 | trimSuffix "-" -}}
{{- end -}}

{{- /* What an object is found by, forever: dict root, component. */ -}}
{{- define "platform.selector" -}}
app.kubernetes.io/name: {{ default .root.Chart.Name .root.Values.nameOverride }}
app.kubernetes.io/instance: {{ .root.Release.Name }}
{{- with .component }}
app.kubernetes.io/component: {{ . }}
{{- end }}
{{- end -}}

{{- /* The labels of an object: dict root, component. */ -}}
{{- define "platform.labels" -}}
{{ include "platform.selector" . }}
app.kubernetes.io/version: {{ .root.Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .root.Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .root.Chart.Name .root.Chart.Version | replace "+" "_" }}
{{- end -}}

{{- /* metadata of a namespaced object: dict root, name (after the full name), component. */ -}}
{{- define "platform.metadata" -}}
name: {{ include "platform.fullname" .root }}{{ with .name }}-{{ . }}{{ end }}
namespace: {{ .root.Release.Namespace }}
labels:
  {{- include "platform.labels" . | nindent 2 }}
{{- end -}}

{{- /* The image of a service: dict root, component. */ -}}
{{- define "platform.image" -}}
{{- $image := .root.Values.image -}}
{{- with $image.registry }}{{ trimSuffix "/" . }}/{{ end -}}
{{ $image.repository }}/{{ .component }}:{{ default .root.Chart.AppVersion $image.tag }}
{{- end -}}

{{- define "platform.serviceAccountName" -}}
{{- $account := .Values.serviceAccount -}}
{{- ternary (default (include "platform.fullname" .) $account.name) (default "default" $account.name) $account.create -}}
{{- end -}}

{{- /* The Secret with what the services require. */ -}}
{{- define "platform.secretName" -}}
{{- default (printf "%s-secrets" (include "platform.fullname" .)) .Values.secrets.existingSecret -}}
{{- end -}}

{{- /* The host clients use. */ -}}
{{- define "platform.publicHost" -}}
{{- $url := .Values.config.API_URL -}}
{{- if kindIs "string" $url }}{{ (urlParse $url).hostname }}{{ end -}}
{{- end -}}

{{- /* defaults and services.<name> as one: dict root, component. */ -}}
{{- define "platform.settings" -}}
{{- $own := get .root.Values.services .component | default dict -}}
{{- mergeOverwrite (deepCopy .root.Values.defaults) (deepCopy $own) | toYaml -}}
{{- end -}}

{{- /* The lines of the services this release has: optional ones where their values say so. */ -}}
{{- define "platform.services" -}}
{{- $values := .Values.services -}}
{{- range $name, $line := (fromYaml (.Files.Get "files/services.yaml")).services }}
{{- if or (not $line.optional) (get (get $values $name | default dict) "enabled") }}
{{ $name }}: {{ toJson $line }}
{{- end }}
{{- end }}
{{- end -}}
