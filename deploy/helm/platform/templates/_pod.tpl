{{- /* What "restricted" asks of a pod: dict user (1000 without one). */ -}}
{{- define "platform.podSecurity" -}}
{{- $user := default 1000 .user -}}
runAsNonRoot: true
runAsUser: {{ $user }}
runAsGroup: {{ $user }}
fsGroup: {{ $user }}
fsGroupChangePolicy: OnRootMismatch
seccompProfile: { type: RuntimeDefault }
{{- end -}}

{{- /* What it asks of a container: dict writable. */ -}}
{{- define "platform.containerSecurity" -}}
allowPrivilegeEscalation: false
privileged: false
readOnlyRootFilesystem: {{ not .writable }}
capabilities: { drop: [ALL] }
{{- end -}}

{{- /* What every pod of this release begins with. */ -}}
{{- define "platform.podHead" -}}
automountServiceAccountToken: false
enableServiceLinks: false
{{- with .Values.image.pullSecrets }}
imagePullSecrets:
  {{- range . }}
  - name: {{ . }}
  {{- end }}
{{- end }}
{{- end -}}

{{- /* Where a pod may run: the settings of a service or a store. */ -}}
{{- define "platform.placement" -}}
{{- with .nodeSelector }}
nodeSelector:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .tolerations }}
tolerations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .affinity }}
affinity:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .priorityClassName }}
priorityClassName: {{ . }}
{{- end }}
{{- end -}}

{{- /* Instances of one service on different nodes and zones: dict root, component, settings. */ -}}
{{- define "platform.topologySpread" -}}
{{- $selector := dict "root" .root "component" .component -}}
{{- if .settings.topologySpread.enabled }}
topologySpreadConstraints:
  {{- range list "kubernetes.io/hostname" "topology.kubernetes.io/zone" }}
  - maxSkew: 1
    topologyKey: {{ . }}
    whenUnsatisfiable: {{ $.settings.topologySpread.whenUnsatisfiable }}
    labelSelector:
      matchLabels:
        {{- include "platform.selector" $selector | nindent 8 }}
    # Those of a rollout among themselves: the old ones are leaving.
    matchLabelKeys: [pod-template-hash]
  {{- end }}
{{- end }}
{{- end -}}

{{- /* Liveness says that the process runs, readiness that it takes requests. A service waits for its stores: it is up
meanwhile, and not restarted. */ -}}
{{- define "platform.probes" -}}
startupProbe:
  httpGet: { path: /sys/livez, port: http }
  {{- toYaml .startup | nindent 2 }}
livenessProbe:
  httpGet: { path: /sys/livez, port: http }
  {{- toYaml .liveness | nindent 2 }}
readinessProbe:
  httpGet: { path: /sys/readyz, port: http }
  {{- toYaml .readiness | nindent 2 }}
{{- end -}}

{{- /* All addresses but some ranges, as a rule of what a NetworkPolicy lets out. */ -}}
{{- define "platform.worldWithout" -}}
{{- $four := list -}}
{{- $six := list -}}
{{- range . -}}
{{- if contains ":" . }}{{ $six = append $six . }}{{ else }}{{ $four = append $four . }}{{ end -}}
{{- end -}}
- to:
    - ipBlock: { cidr: 0.0.0.0/0, except: {{ toJson $four }} }
    - ipBlock: { cidr: "::/0", except: {{ toJson $six }} }
{{- end -}}
